"""The oracle against transformers' own generation, where it still has the decoder, and against direct computations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from newwiki.decoding.grammar import Decoder
from tests.newwiki.decoding.naive import Naive

TEXTS = ["The town of", "She was born in 1986 and", "In the history of music, the band", "It is"]
