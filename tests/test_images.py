"""Pictures beside a question: read, checked, recorded, replayed, sent."""

import asyncio
import base64
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tao import Agent
from tao.agent import recorded_dialect, recorded_policy
from tao.errors import ConfigError
from tao.events import Asked, from_json, to_json
from tao.images import MOST_BYTES, picture, pictures
from tao.messages import Image, Message, Request
from tao.replay import replay
from tao.run import Run
from tao.seams import Abilities
from tao.stores.sql import Journal
from tao.testing import ScriptedModel

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
AS_TEXT = base64.b64encode(PNG).decode()
SEES = Abilities(images=True)


def sighted(*replies, **abilities):
    return ScriptedModel(*replies, abilities=replace(SEES, **abilities))


@pytest.mark.parametrize(("data", "media"), [
    (PNG, "image/png"), (b"\xff\xd8\xff\xe0 jfif", "image/jpeg"), (b"GIF89a....", "image/gif"), (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
])  # fmt: skip
def test_bytes_are_known_by_how_they_begin_and_not_by_a_name(tmp_path, data, media):
    (tmp_path / "photo.txt").write_bytes(data)
    wanted = Image(media, base64.b64encode(data).decode())
    for source in (data, tmp_path / "photo.txt", str(tmp_path / "photo.txt"), f"data:whatever;base64,{wanted.data}", wanted):
        assert picture(source) == wanted


def test_an_address_is_left_to_the_models_server():
    assert picture("https://example.com/a.png") == Image(url="https://example.com/a.png")


@pytest.mark.parametrize(("source", "said", "said_zh"), [
    ("nowhere.png", "image 'nowhere.png' cannot be read: No such file or directory", "无法读取图片 'nowhere.png'"),
    (b"%PDF-1.7", "the bytes given is no image that models take; wanted: PNG, JPEG, GIF or WebP", "应为 PNG、JPEG、GIF 或 WebP"),
    ("data:image/png;base64,???", "the data URL is no image", "data URL 不是模型支持的图片"),
    ("data:image/png,abc", "the data URL is no image", "data URL 不是模型支持的图片"),
    (PNG + bytes(MOST_BYTES), "has 8.0 MB; at most 8 MB may be given: make it smaller", "请先缩小"),
])  # fmt: skip
def test_what_is_no_picture_is_refused_with_the_reason(source, said, said_zh):
    with pytest.raises(ConfigError, match=re.escape(said)) as caught:
        picture(source)
    assert said_zh in str(caught.value)


def test_a_folder_and_a_huge_file_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="Is a directory"):
        picture(tmp_path)
    huge = tmp_path / "huge.png"
    with huge.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(ConfigError, match=r"huge\.png has 8\.0 MB"):
        picture(huge)


def test_one_picture_alone_is_a_list_of_one_and_too_many_are_too_many():
    assert len(pictures(PNG, sighted())) == 1
    with pytest.raises(ConfigError, match="21 images; at most 20"):
        pictures([PNG] * 21, sighted())


async def test_a_model_that_takes_none_is_told_before_anything_is_sent_or_recorded(tmp_path):
    model, journal = ScriptedModel("x"), Journal(tmp_path / "runs.db")
    async with Agent(model, journal=journal) as agent:
        with pytest.raises(ConfigError, match="scripted takes no images; ask a model that does, such as openai:gpt-5") as caught:
            await agent.run("?", images=[PNG])
        assert "不支持图片" in str(caught.value)
        assert model.requests == []
        assert await journal.count() == 0


@pytest.mark.parametrize("dialect", ["native", "react", "json", "bracket"])
async def test_pictures_stand_beside_the_question_in_every_dialect_and_a_replay_sends_the_same(tmp_path, dialect):
    answers = {"native": "A cat.", "react": "Final Answer: A cat.", "json": "Final Answer: A cat.", "bracket": "Finish[A cat.]"}
    model = sighted(answers[dialect])
    (tmp_path / "cat.png").write_bytes(PNG)
    async with Agent(model, dialect=dialect, journal=Journal(tmp_path / "runs.db"), lang="en") as agent:
        run = await agent.run("What is this?", images=[tmp_path / "cat.png", "https://example.com/b.png"])
        recorded = await agent.journal.load(run.id)
    seen = (Image("image/png", AS_TEXT), Image(url="https://example.com/b.png"))
    assert run.answer == "A cat."
    assert [message.images for message in model.requests[0].messages if message.images] == [seen]
    assert next(message for message in model.requests[0].messages if message.images).role == "user"
    assert recorded.asked.images == seen
    (tmp_path / "cat.png").unlink()
    assert await replay(recorded, recorded_dialect(recorded.asked), recorded_policy(recorded.asked)) == []


async def test_stream_and_run_sync_take_pictures_too():
    agent = Agent(sighted("A cat.", "A cat."), dialect="native", lang="en")
    assert [item.images async for item in agent.stream("?", images=PNG) if isinstance(item, Asked)] == [(Image("image/png", AS_TEXT),)]
    assert (await asyncio.to_thread(agent.run_sync, "?", images=PNG)).asked.images == (Image("image/png", AS_TEXT),)


def test_a_run_without_pictures_is_recorded_and_digested_as_before():
    assert "images" not in to_json(Asked("q"))
    assert Request((Message("user", "q"),)).digest() == "a0e7f937cba20fe9"  # as before there were pictures
    asked = Asked("q", images=(Image("image/png", AS_TEXT),))
    assert from_json(to_json(asked)) == asked
    plain = Request((Message("user", "q"),))
    digests = {request.digest() for request in (
        plain, Request((Message("user", "q", images=asked.images),)), Request((Message("user", "q", images=(Image(url="a"),)),)),
        Request((Message("assistant", "q", kept="k"),)), Request((Message("assistant", "q"),)),
    )}  # fmt: skip
    assert len(digests) == 5


def test_a_run_that_was_recorded_before_there_were_pictures_can_be_read():
    assert Run("r", [from_json({"v": 1, "kind": "asked", "question": "q"})]).asked.images == ()


def test_a_path_is_never_an_address():
    with pytest.raises(ConfigError, match="cannot be read"):
        picture(Path("https://example.com/a.png"))
