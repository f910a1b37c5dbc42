"""Probabilities of the first token, from a real small model."""

import pytest

from tao.messages import Message, Request
from tao.models.local import LocalModel, LocalSettings
from tao.routing.triage import probability


@pytest.mark.model
async def test_a_real_small_model_says_how_sure_it_is(small_model, tmp_path):
    model = LocalModel(small_model, settings=LocalSettings(context=2048, keep=tmp_path))
    shots = [Message("user", "Who painted the Mona Lisa?"), Message("assistant", "known"), Message("user", "How high is Mount Torvin?"), Message("assistant", "search")]
    reply = await model(Request((*shots, Message("user", "Is silver heavier than water?")), grammar='root ::= "known" | "search"', max_tokens=1, temperature=0.0, likely=10))
    assert len(reply.likely) == 10
    assert all(0 <= share <= 1 for share in reply.likely.values())
    known = probability(reply)
    assert known is not None
    assert 0 <= known <= 1
    assert reply.text
    assert any(word.startswith(reply.text) for word in ("known", "search"))
    model.unload()
