import pytest
from pydantic import ValidationError

from tao import config
from tao.config import Settings, environment, journal_address, load, strangers
from tao.errors import ConfigError


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """An empty folder and home, and no variable of ours in the environment."""
    for name in [*Settings.model_fields, "modle"]:
        monkeypatch.delenv(f"TAO_{name.upper()}", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_everything_has_a_default():
    settings = load()
    assert (settings.model, settings.max_steps, settings.lang, settings.dialect, settings.tools) == ("local", 8, None, "auto", ())
    assert settings.local.context == 8192


def test_what_comes_first_wins(alone, monkeypatch):
    (alone / "home" / ".config" / "tao").mkdir(parents=True)
    (alone / "home" / ".config" / "tao" / "tao.toml").write_text(
        'model = "home"\nmax_steps = 1\nlang = "zh"\n[local]\nthreads = 1\nbatch = 7\n'
    )
    assert (load().model, load().max_steps, load().lang) == ("home", 1, "zh")
    (alone / "tao.toml").write_text('model = "here"\nmax_steps = 2\n[local]\nthreads = 2\n')
    assert (load().model, load().max_steps, load().lang, load().local.threads, load().local.batch) == ("here", 2, "zh", 2, 7)
    (alone / ".env").write_text("TAO_MODEL=dotenv\nTAO_MAX_STEPS=3\n")
    assert (load().model, load().max_steps, load().lang) == ("dotenv", 3, "zh")
    monkeypatch.setenv("TAO_MODEL", "environment")
    monkeypatch.setenv("TAO_LOCAL__THREADS", "4")
    assert (load().model, load().max_steps, load().local.threads, load().local.batch) == ("environment", 3, 4, 7)
    assert load({"model": "given", "lang": None}).model == "given"


def test_an_empty_variable_is_none(monkeypatch):
    monkeypatch.setenv("TAO_MODEL", "")
    monkeypatch.setenv("TAO_DEADLINE", "")
    assert (load().model, load().deadline) == ("local", None)


def test_a_list_is_written_with_commas(monkeypatch):
    monkeypatch.setenv("TAO_TOOLS", "a.py:make, b.py")
    assert load().tools == ("a.py:make", "b.py")
    assert load({"tools": ["c.py"]}).tools == ("c.py",)


def test_settings_are_frozen():
    with pytest.raises(ValidationError, match="frozen"):
        load().model = "x"


@pytest.mark.parametrize(("variable", "value", "english", "chinese"), [
    ("TAO_MAX_STEPS", "many", "setting 'max_steps' is 'many' (environment variable TAO_MAX_STEPS); wanted: a whole number", "应为：整数"),
    ("TAO_MAX_STEPS", "0", "wanted: 1 or more", "应为：不小于 1"),
    ("TAO_MAX_STEPS", "5000", "wanted: 1000 or less", "应为：不大于 1000"),
    ("TAO_DEADLINE", "soon", "wanted: a number", "应为：数字"),
    ("TAO_DEADLINE", "0", "wanted: more than 0", "应为：大于 0"),
    ("TAO_THINKING", "perhaps", "wanted: true or false", "应为：true 或 false"),
    ("TAO_LANG", "fr", "wanted: one of 'zh' or 'en'", "应为：以下之一：'zh' 或 'en'"),
    ("TAO_LOCAL__THREADS", "0", "setting 'local.threads' is '0' (environment variable TAO_LOCAL__THREADS)", "设置 'local.threads' 的值为 '0'"),
])  # fmt: skip
def test_a_wrong_value_is_named_with_where_it_came_from_and_what_is_wanted(monkeypatch, variable, value, english, chinese):
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as raised:
        load()
    assert english in str(raised.value)
    assert chinese in str(raised.value)


def test_where_a_wrong_value_came_from(alone):
    with pytest.raises(ConfigError, match=r"setting 'model' is '' \(option --model\); wanted: a text that is not empty"):
        load({"model": ""})
    (alone / "tao.toml").write_text("max_steps = 0")
    with pytest.raises(ConfigError, match=r"\(tao.toml\)"):
        load()
    (alone / ".env").write_text("TAO_MAX_STEPS=-1")
    with pytest.raises(ConfigError, match=r"is '-1' \(TAO_MAX_STEPS in .env\)"):
        load()


def test_every_wrong_value_is_named(alone):
    (alone / "tao.toml").write_text('modle = "x"\nmax_steps = "no"\n[local]\ntreads = 3\n')
    with pytest.raises(ConfigError) as raised:
        load()
    assert "there is no setting 'modle' (tao.toml); did you mean 'model'?" in str(raised.value)
    assert "there is no setting 'local.treads' (tao.toml); did you mean 'threads'?" in str(raised.value)
    assert "没有名为 'modle' 的设置（tao.toml）；是否想写 'model'？" in str(raised.value)
    assert "'max_steps'" in str(raised.value)


def test_a_file_that_is_no_toml_is_named(alone):
    (alone / "tao.toml").write_text("model = ")
    with pytest.raises(ConfigError, match=r"tao.toml is not valid TOML"):
        load()


def test_the_environment_is_handed_on_with_what_dotenv_adds(alone, monkeypatch):
    (alone / ".env").write_text("OPENAI_API_KEY=from-file\nDEEPSEEK_API_KEY=only-file\nEMPTY\n")
    monkeypatch.setenv("OPENAI_API_KEY", "real")
    env = environment()
    assert (env["OPENAI_API_KEY"], env["DEEPSEEK_API_KEY"]) == ("real", "only-file")
    assert "EMPTY" not in env
    assert load().model == "local"  # other names in .env are nobody's business


def test_where_runs_are_kept(alone, monkeypatch):
    assert journal_address(load()) == str(alone / "home" / ".local" / "state" / "tao" / "runs.db")
    monkeypatch.setenv("XDG_STATE_HOME", str(alone / "state"))
    assert journal_address(load()) == str(alone / "state" / "tao" / "runs.db")
    assert journal_address(load({"journal": "x.db"})) == "x.db"


def test_variables_that_look_like_slips_of_the_pen(monkeypatch):
    monkeypatch.setenv("TAO_MODLE", "x")
    monkeypatch.setenv("TAO_LOCAL__THREADS", "1")
    monkeypatch.setenv("TAO_CACHE", "x")
    assert strangers() == ["TAO_MODLE"]


def test_every_setting_says_what_it_is_for():
    assert all(field.description or name == "local" for name, field in Settings.model_fields.items())
    assert all(field.description for field in config.Local.model_fields.values())


def test_how_calls_are_held_is_a_table_and_has_tables_by_tool(alone):
    (alone / "tao.toml").write_text('[calls]\ntimeout = inf\nrate = "9/s"\n[calls.tools.search]\ncache = 300\ntimeout = 5\n')
    calls = load().calls
    assert (calls.timeout, calls.rate, calls.at_once) == (float("inf"), "9/s", 8)
    assert (calls.tools["search"].cache, calls.tools["search"].timeout, calls.tools["search"].strikes) == (300, 5, None)
    assert {field.description is not None for table in (config.Calls, config.ToolCalls) for field in table.model_fields.values()} == {True}


def test_a_slip_of_the_pen_in_those_tables_is_named(alone):
    (alone / "tao.toml").write_text("[calls]\natonce = 3\ntimeout = 0\n[calls.tools.search]\nstrike = 3\n[calls.tools]\nother = 5\n")
    with pytest.raises(ConfigError) as raised:
        load()
    for text in (
        "there is no setting 'calls.atonce' (tao.toml); did you mean 'at_once'?",
        "setting 'calls.timeout' is 0 (tao.toml); wanted: more than 0",
        "there is no setting 'calls.tools.search.strike' (tao.toml); did you mean 'strikes'?",
        "setting 'calls.tools.other' is 5 (tao.toml); wanted: a table",
        "设置 'calls.tools.other' 的值为 5（tao.toml）；应为：表",
    ):
        assert text in str(raised.value)


# ── permissions ───────────────────────────────────────────────────────────────


def test_rules_of_both_files_count_together(alone):
    home = alone / "home" / ".config" / "tao"
    home.mkdir(parents=True)
    (home / "tao.toml").write_text('[[permissions.rules]]\ndeny = "rm_*"\n')
    assert [rule.verdict for rule in load().permissions.rules] == ["deny"]
    (alone / "tao.toml").write_text('[[permissions.rules]]\nallow = ["write"]\nwhere.path = {under = "/data"}\nroles = "clerk"\n')
    deny, allow = load().permissions.rules
    assert (deny.tools, allow.tools, allow.where, allow.roles) == (("rm_*",), ("write",), {"path": {"under": "/data"}}, ("clerk",))
    assert load({"model": "m"}).permissions.rules == (deny, allow)


def test_rules_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("TAO_PERMISSIONS__RULES", '[{"ask": "*"}]')
    assert [rule.verdict for rule in load().permissions.rules] == ["ask"]
    monkeypatch.setenv("TAO_PERMISSIONS__RULES", '[{"ask": 3}]')
    with pytest.raises(ConfigError, match="TAO_PERMISSIONS__RULES, permissions rule 1, ask: got 3; wanted: a list of names"):
        load()


@pytest.mark.parametrize(("text", "english", "chinese"), [
    ('[[permissions.rules]]\nallow = "x"\n[[permissions.rules]]\nallow = "y"\nwhere.path = {unter = "/"}\n',
     "tao.toml, permissions rule 2, where.path.unter: there is no such constraint", "tao.toml，第 2 条权限规则，where.path.unter：没有这种约束"),
    ("[permissions]\nrule = 1\n", "there is no setting 'permissions.rule' (tao.toml); did you mean 'rules'?", "是否想写 'rules'"),
    ("permissions = 3\n", "setting 'permissions' is 3 (tao.toml); wanted: a table", "应为：表"),
    ("[permissions]\nrules = 3\n", "tao.toml: permissions.rules is 3; wanted: tables [[permissions.rules]]", "应为 [[permissions.rules]] 表"),
])  # fmt: skip
def test_a_bad_rule_names_its_file(alone, text, english, chinese):
    (alone / "tao.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load()
    assert english in str(caught.value)
    assert chinese in str(caught.value)
