"""The page for people: all there, nothing fetched, nothing of a model's text taken for markup."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tao.evaluation.outcomes import Intervention
from tao.evaluation.report import page

VOID = {"meta", "br", "rect", "line", "circle", "i"}


class Nesting(HTMLParser):
    """Checks that what is opened is closed, in order; gathers the text of each language."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.texts.append((tuple(name for _, style in self.open for name in style.split()), data))


@pytest.fixture
def html(some):
    stepped = [replace(some[0], interventions=(Intervention("loop_guard", "helped"), Intervention("my_policy", "harmed"))), *some[1:]]
    return page({"model": "scripted", "max_steps": 8}, stepped, name="tasks.jsonl", day="2026-11-30")


def test_it_is_well_formed_and_fetches_nothing(html):
    seen = Nesting()
    seen.feed(html)
    assert seen.open == []
    assert not [tag for tag, attributes in seen.tags if "src" in attributes or "href" in attributes]
    assert "url(" not in html
    assert "http" not in re.sub(r"https?://www.w3.org\S+", "", html)
    assert sum(tag == "svg" for tag, _ in seen.tags) == 5


def test_every_text_is_there_in_both_languages(html):
    seen = Nesting()
    seen.feed(html)
    english = [text for styles, text in seen.texts if "en" in styles]
    chinese = [text for styles, text in seen.texts if "zh" in styles]
    assert len(english) == len(chinese) > 30
    assert not [text for text in english if re.search("[\u4e00-\u9fff]", text)  if text != "中文"]
    assert "loop guard" in english
    assert "循环防护" in chinese


def test_texts_of_models_are_shown_as_texts(html):
    assert "&lt;script&gt;alert(1)" in html
    assert "<script>alert" not in html
    assert "2 加 3 等于几？&lt;b&gt;" in html


def test_it_says_what_the_outcomes_say(html):
    assert "<b>66.7%</b>" in html
    assert "2/3" in html
    assert "only what went wrong (1)" in html
    assert html.count('<details class="task ') == 3


def test_the_language_that_shows_first(some):
    assert '<html lang="zh-CN">' in page({}, some, lang="zh")


def test_it_stands_without_tokens_or_kinds(some):
    bare = [replace(it, prompt=None, completion=None, cached=None, first_token=None, kind="", events=()) for it in some]
    seen = Nesting()
    seen.feed(page({}, bare))
    assert seen.open == []
