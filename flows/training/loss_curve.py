"""Write the training loss as a table (loss.csv) and as a chart (loss.svg) into the model's folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.presenting.charts import PALETTE, svg
from newwiki.csv_files import write_csv

if TYPE_CHECKING:
    import altair

    from newwiki.training.fit import Loss

_CURVES = {"training": "trained on", "validation": "held out"}


def write_curve(curve: Sequence["Loss"], folder: Path, name: str) -> None:
    """Write the loss curve with the columns step, training and validation.

    The loss is the mean cross-entropy in nats per token. A cell is empty if the loss was not computed at that step.
    """
    with (folder / "loss.csv").open("w", encoding="utf-8", newline="") as stream:
        write_csv(stream, ["step", *_CURVES], ([point.step, point.training, point.validation] for point in curve))
    description = f"The loss of {name} by training step; its numbers are in loss.csv."
    (folder / "loss.svg").write_text(svg(_drawn(curve), description), "utf-8")


def _drawn(curve: Sequence["Loss"]) -> "altair.LayerChart":
    import altair as alt

    values: list[dict[str, Any]] = [
        {"step": point.step, "loss": getattr(point, name), "of": words}
        for name, words in _CURVES.items()
        for point in curve
        if getattr(point, name) is not None
    ]
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("step:Q", axis=alt.Axis(title="training step", tickMinStep=1)),
        y=alt.Y("loss:Q", scale=alt.Scale(zero=False), axis=alt.Axis(title="loss (nats a token)")),
        color=alt.Color(
            "of:N", title="articles", scale=alt.Scale(domain=list(_CURVES.values()), range=list(PALETTE[:2]))
        ),
    )
    return (base.mark_line() + base.mark_point(filled=True, size=30)).properties(width=420, height=240)
