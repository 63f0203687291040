"""The schedule of docs/refresh.md is one that the flow takes. That a schedule fires: tests/flows/test_prefect.py."""

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from newwiki.settings import Settings
from tests.docs.blocks import blocks


def test_the_schedule_gives_the_flow_what_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from prefect import Flow

    served: dict[str, Any] = {}
    monkeypatch.setattr(Flow, "serve", lambda flow, **options: served.update(options, flow=flow))
    monkeypatch.chdir(tmp_path)
    (block,) = [one for one in blocks("docs/refresh.md") if one.file == "schedule.py"]
    (tmp_path / "schedule.py").write_text(block.text)
    runpy.run_path(str(tmp_path / "schedule.py"), run_name="__main__")
    flow = served["flow"]
    assert flow.name == "newwiki-monthly"
    assert len(served["cron"].split()) == 5
    sent = json.loads(json.dumps(flow.serialize_parameters(served["parameters"])))
    taken = flow.validate_parameters(sent)
    assert taken["settings"] == Settings()
    assert taken["decoders"] == ["greedy", "sample:top_p=0.9"]
