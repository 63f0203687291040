"""What others' formats require, as JSON Schema: our reading of what they publish, no copy of it.

Every Eval Ever, schema 0.3.0: the types and checks of github.com/evaleval/every_eval_ever in October 2026
(`eval_types.py`, `instance_level_types.py`, `validation_core.py`). The Hub's `.eval_results/*.yaml`:
huggingface.co/docs/hub/eval-results and `eval_results.yaml` of github.com/huggingface/hub-docs. Where they allow any
further field, we allow none, as an unknown field is a slip of ours.
"""

from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
ON_THE_HUB: Schema = {"type": "string", "pattern": "^[^/]+/[^/]+$"}
COUNT: Schema = {"type": "integer", "minimum": 0}
EPOCH: Schema = {"type": "string", "pattern": r"^\d+(\.\d+)?$"}
TIME: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)$"}
UUID4 = "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
RECORD_PATH = rf"^data/[^/]+/[^/]+/[^/]+/{UUID4}\.json$"
SAMPLES_PATH = rf"^data/[^/]+/[^/]+/[^/]+/{UUID4}_samples\.jsonl$"


def objects(required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


def one_of(*words: str) -> Schema:
    return {"enum": list(words)}


def texts(**required: Schema) -> Schema:
    """Details: values are text, of these names these."""
    return {
        "type": "object",
        "properties": required,
        "required": list(required),
        "additionalProperties": {"type": "string"},
    }


DETAILS = {"additional_details": texts()}
METRIC = objects(
    {
        "lower_is_better": {"type": "boolean"},
        "score_type": {"const": "continuous"},  # of which both ends are required
        "min_score": {"anyOf": [NUMBER, {"const": "-Infinity"}]},
        "max_score": {"anyOf": [NUMBER, {"const": "Infinity"}]},
    },
    {
        "evaluation_description": TEXT,
        "metric_id": TEXT,
        "metric_name": TEXT,
        "metric_kind": TEXT,
        "metric_unit": TEXT,
        "metric_parameters": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
        },
        **DETAILS,
    },
)
UNCERTAINTY = objects(
    {},
    {
        "standard_error": objects({"value": NUMBER}, {"method": TEXT}),
        "confidence_interval": objects(
            {"lower": NUMBER, "upper": NUMBER},
            {"confidence_level": {"type": "number", "minimum": 0, "maximum": 1}, "method": TEXT},
        ),
        "standard_deviation": NUMBER,
        "num_samples": {"type": "integer"},
        "num_bootstrap_samples": {"type": "integer"},
    },
)
LINKS = {"type": "array", "items": TEXT, "minItems": 1}
SOURCE = {
    "oneOf": [
        objects(
            {
                "dataset_name": TEXT,
                "source_type": {"const": "url"},
                "url": {"type": "array", "items": TEXT, "minItems": 1},
            },
            DETAILS,
        ),
        objects({"dataset_name": TEXT, "source_type": {"const": "other"}}, DETAILS),
    ]
}
GENERATION = objects(
    {},
    {
        "generation_args": objects(
            {},
            {
                "temperature": NUMBER,
                "top_p": NUMBER,
                "top_k": NUMBER,
                "max_tokens": {"type": "integer", "minimum": 1},
                "execution_command": TEXT,
                "reasoning": {"type": "boolean"},
                "prompt_template": TEXT,
            },
        ),
        **DETAILS,
    },
)
RESULT = objects(
    {
        "evaluation_name": TEXT,
        "source_data": SOURCE,
        "metric_config": METRIC,
        "score_details": objects({"score": NUMBER}, {"details": texts(), "uncertainty": UNCERTAINTY}),
    },
    {"evaluation_result_id": TEXT, "evaluation_timestamp": TIME, "generation_config": GENERATION},
)
MODEL = objects(
    {
        "name": TEXT,
        "id": ON_THE_HUB,
        "additional_details": texts(
            deployment_type=one_of("self_deployed", "externally_managed", "unknown"),
            model_availability=one_of("open_weights", "closed_weights", "unknown"),
        ),
    },
    {"developer": TEXT, "inference_platform": TEXT, "inference_engine": objects({}, {"name": TEXT, "version": TEXT})},
)
EVERY_EVAL_EVER = objects(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "retrieved_timestamp": EPOCH,
        "source_metadata": objects(
            {
                "source_type": one_of("documentation", "evaluation_run"),
                "source_organization_name": TEXT,
                "evaluator_relationship": one_of("first_party", "third_party", "collaborative", "other"),
            },
            {"source_name": TEXT, "source_organization_url": TEXT, "source_organization_logo_url": TEXT, **DETAILS},
        ),
        "eval_library": objects({"name": TEXT, "version": TEXT}, DETAILS),
        "model_info": MODEL,
        "evaluation_results": {"type": "array", "items": RESULT, "minItems": 1},
    },
    {
        "evaluation_timestamp": TIME,
        "detailed_evaluation_results": objects(
            {
                "format": {"const": "jsonl"},
                "file_path": {"type": "string", "pattern": SAMPLES_PATH},
                "hash_algorithm": {"const": "sha256"},
                "checksum": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                "total_rows": {"type": "integer", "minimum": 1},
            },
            DETAILS,
        ),
    },
)
EVERY_EVAL_EVER_INSTANCE = objects(
    {
        "schema_version": {"const": "0.3.0"},
        "evaluation_id": TEXT,
        "model_id": TEXT,
        "evaluation_name": TEXT,
        "sample_id": TEXT,
        "interaction_type": {"const": "single_turn"},  # which has an output and no messages
        "input": objects({"raw": TEXT, "reference": {"type": "array", "items": TEXT}}, {"formatted": TEXT}),
        "output": objects({"raw": {"type": "array", "items": {"type": "string"}}}),
        "answer_attribution": {
            "type": "array",
            "items": objects(
                {
                    "turn_idx": COUNT,
                    "source": TEXT,
                    "extracted_value": {"type": "string"},
                    "extraction_method": TEXT,
                    "is_terminal": {"type": "boolean"},
                }
            ),
        },
        "evaluation": objects({"score": NUMBER, "is_correct": {"type": "boolean"}}),
    },
    {"evaluation_result_id": TEXT, "sample_hash": TEXT, "metadata": texts()},
)
EVAL_RESULTS_YAML: Schema = {
    "type": "array",
    "minItems": 1,
    "items": objects(
        {
            "dataset": objects({"id": ON_THE_HUB, "task_id": TEXT}, {"revision": TEXT}),
            "value": NUMBER,
        },
        {
            "verifyToken": TEXT,
            "date": TIME,
            "source": objects({"url": TEXT}, {"name": TEXT, "user": TEXT, "org": TEXT}),
            "notes": TEXT,
        },
    ),
}


def faults(schema: Schema, found: Any) -> list[str]:
    """What the schema has against it, and where."""
    Draft202012Validator.check_schema(schema)
    return [f"{one.json_path}: {one.message}" for one in Draft202012Validator(schema).iter_errors(found)]
