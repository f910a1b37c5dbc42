"""Names of tools as every provider takes them."""

import re

from hypothesis import given
from hypothesis import strategies as st

from tao.tools.mcp.names import namespaced


def test_usual_names_stay():
    assert namespaced("github", "search-code_2") == "github__search-code_2"
    assert namespaced("git hub", "repo.list/all:x") == "git_hub__repo_list_all_x"


def test_what_is_changed_or_taken_keeps_a_name_of_its_own():
    assert namespaced("天气", "查询") != namespaced("天气", "查找")
    assert namespaced("a", "b__c") == namespaced("a__b", "c") == "a__b__c"
    assert namespaced("a__b", "c", {"a__b__c"}).startswith("a__b__c_")
    assert namespaced("s", "x" * 80) != namespaced("s", "x" * 81)


@given(st.text(min_size=1), st.text(min_size=1))
def test_any_name_becomes_one_that_every_provider_takes(server, tool):
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", namespaced(server, tool))
    assert namespaced(server, tool) == namespaced(server, tool)
