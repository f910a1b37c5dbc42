"""τ-bench's airline and shop: every gold action through Agent, to the state that the benchmark's own tools reach."""

import json
import re
from collections import Counter

import pytest
import tau_world
from hypothesis import given, settings
from hypothesis import strategies as st
from scripts import SCRIPTS, native
from tau_world import Refusal, calculate, changed, digest, fresh, told

from tao.agent import Agent
from tao.errors import ConfigError
from tao.permissions import Rule

ALLOWED = [Rule("allow", tools=("*",))]
SPLITS = {"airline test": 50, "retail test": 115, "retail dev": 20}
OUTPUTS = {"airline test": (8, 2), "retail test": (62, 46), "retail dev": (0, 0)}
"""By split: how many things have to be said to customers, and how many of them stand in what the gold actions gave.

The others are left to the agent: sums that no gold action works out, and what is asked where no action is needed.
"""


async def lived(world, actions, answer="Done.", dialect="native", permissions=ALLOWED):
    """The actions under an agent."""
    agent = Agent(SCRIPTS[dialect](actions, answer), world.tools(), dialect=dialect, permissions=permissions, max_steps=len(actions) + 2)
    return await agent.run("Help the customer.")


# ── the tools ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("domain", ["airline", "retail"])
def test_our_tools_have_the_benchmarks_names_and_parameters(bench, domain):
    def form(parameters):
        """Names, types and choices of a schema, without its words."""
        if "properties" in parameters:
            return {key: form(one) for key, one in parameters["properties"].items()}, sorted(parameters.get("required", ()))
        kind = parameters["type"] if isinstance(parameters["type"], str) else "number"
        return kind, tuple(parameters.get("enum", ())), form(parameters["items"]) if "items" in parameters else None

    theirs = {one["name"]: form(one["parameters"]) for one in (tool.get("function", tool) for tool in bench.schemas(domain))}
    ours = {tool.name: form(tool.spec.parameters) for tool in bench.world(domain).tools()}
    assert ours == theirs
    assert all(tool.spec.description for tool in bench.world(domain).tools())


def test_what_changes_something_says_so(bench):
    effects = {tool.name: tool.spec.effects for domain in ("airline", "retail") for tool in bench.world(domain).tools()}
    verbs = ("book", "cancel", "exchange", "modify", "return", "send", "transfer", "update")
    assert {name for name, one in effects.items() if one == ("writes",)} == {name for name in effects if name.startswith(verbs)}
    assert {one for name, one in effects.items() if not name.startswith(verbs)} == {("reads",)}


# ── gold ──────────────────────────────────────────────────────────────────────


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("split", SPLITS)
async def test_every_gold_action_leads_to_the_gold_state(bench, gold, state, split):
    domain, part = split.split()
    before, refused, due, seen = fresh(bench.tables(domain)), [], 0, 0
    tasks = bench.tasks(domain, part)
    assert len(tasks) == SPLITS[split]
    for number, task in enumerate(tasks):
        world = bench.world(domain)
        run = await lived(world, task.actions, " ".join(("Done.", *task.outputs)))
        assert (run.ended.reason, told(task.outputs, run.answer)) == ("answered", []), number
        made = {call.id: (call.tool, call.args) for call, _ in run.observed}
        assert list(made.values()) == [(name, dict(args)) for name, args in task.actions], number
        assert state(before, world.data) == gold[split]["states"][number], (number, changed(before, world.data))
        refused += [[number, at] for at, (_, one) in enumerate(run.observed) if not one.ok]
        assert all(one.kind == "refused" for _, one in run.observed if not one.ok)
        everything = " ".join(one.full or one.text for _, one in run.observed)
        due, seen = due + len(task.outputs), seen + len(task.outputs) - len(told(task.outputs, everything))
    assert refused == gold[split]["refused"]
    assert (due, seen) == OUTPUTS[split]


@pytest.mark.parametrize("split", ["airline test", "retail test"])
async def test_the_whole_state_has_the_benchmarks_own_hash(bench, gold, split):
    domain, part = split.split()
    tasks = bench.tasks(domain, part)
    for number, wanted in gold[split]["whole"].items():
        world = bench.world(domain)
        await lived(world, tasks[int(number)].actions, dialect="react")
        assert digest(world.data) == wanted, number


async def test_a_wrong_action_does_not_lead_to_the_gold_state(bench, gold, state):
    before, task = fresh(bench.tables("airline")), bench.tasks("airline")[0]
    (name, args), *_ = task.actions
    world = bench.world("airline")
    await lived(world, [(name, {**args, "insurance": "yes", "payment_methods": [{"payment_id": "credit_card_4421486", "amount": 285}]})])
    assert changed(before, world.data)
    assert state(before, world.data) != gold["airline test"]["states"][0]


async def test_without_permission_a_change_waits_for_a_person(bench):
    before, task = fresh(bench.tables("airline")), bench.tasks("airline")[0]
    world = bench.world("airline")
    run = await lived(world, [("get_user_details", {"user_id": "mia_li_3668"}), *task.actions], permissions=())
    assert run.state == "paused"
    assert [call.tool for call, _ in run.observed] == ["get_user_details"]
    assert world.data == before


async def test_refusals_are_no_failures_of_the_tool(bench):
    """A customer who gives three wrong numbers still gets the fourth looked up."""
    calls = [("get_order_details", {"order_id": f"#W000000{at}"}) for at in range(3)] + [("get_order_details", {"order_id": "#W2378156"})]
    run = await lived(bench.world("retail"), calls)
    assert [seen.kind for _, seen in run.observed] == ["refused"] * 3 + [""]
    assert run.observed[0][1].text == "Error: order #W0000000 not found"


# ── what is refused changes nothing ───────────────────────────────────────────


def excerpt(data, users):
    """The world of a few users, small enough to be compared again and again."""
    owned = {name: {key: one for key, one in table.items() if one.get("user_id", key) in users} for name, table in data.items()}
    return {name: owned[name] or dict(list(table.items())[:40]) for name, table in data.items()}


def values(data, schema, key=""):
    """Arguments as a confused model may give them: ids that are there and fit, that fit something else, that are nowhere."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        return st.fixed_dictionaries({name: values(data, one, name) for name, one in schema["properties"].items()})
    if kind == "array":
        return st.lists(values(data, schema["items"], key), max_size=3)
    if kind == "string":
        ids = [*(known for name, table in data.items() if name != "flights" for known in table), *TEXTS[key](data)]
        return st.sampled_from(TEXTS[key](data) * 4 + [*ids[:3], "", "nowhere"]) if TEXTS[key](data) else st.sampled_from(["", "x", "2024-05-20"])
    return st.sampled_from([0, 1, 2, 50, 285, 100000, -1])


def methods(data):
    return [key for user in data["users"].values() for key in user["payment_methods"]]


class Texts(dict):
    """By the name of a parameter, what could stand there."""

    def __missing__(self, key):
        return lambda data: []


TEXTS = Texts(
    user_id=lambda data: list(data["users"]),
    reservation_id=lambda data: list(data["reservations"]),
    order_id=lambda data: list(data["orders"]),
    payment_id=methods,
    payment_method_id=methods,
    item_ids=lambda data: [item["item_id"] for order in data["orders"].values() for item in order["items"]],
    new_item_ids=lambda data: [item["item_id"] for order in data["orders"].values() for item in order["items"]],
    flight_number=lambda data: list(data["flights"]),
    date=lambda data: ["2024-05-01", "2024-05-16", "2024-05-20", "2024-05-31"],
)


@pytest.mark.parametrize(
    ("domain", "users"),
    [("airline", ["mia_li_3668", "chen_jackson_3290"]), ("retail", ["yusuf_rossi_9620", "olivia_ito_3591", "mei_kovacs_8020"])],
)
def test_what_is_refused_changes_nothing(bench, domain, users):
    small = {name: json.dumps(table) for name, table in excerpt(fresh(bench.tables(domain)), users).items()}
    specs = {tool.name: tool.spec.parameters for tool in bench.world(domain).tools() if tool.spec.effects == ("writes",)}
    start, kinds, make = fresh(small), Counter(), type(bench.world(domain))
    drawn = st.sampled_from(sorted(specs)).flatmap(lambda name: st.tuples(st.just(name), values(start, specs[name])))

    @settings(max_examples=150, derandomize=True)
    @given(st.lists(drawn, min_size=1, max_size=4))
    def held(calls):
        world = make(fresh(small))
        tools = {tool.name: tool for tool in world.tools()}
        for name, args in calls:
            before = json.dumps(world.data, sort_keys=True)
            seen = tools[name](**args)
            refused = getattr(seen, "kind", "") == "refused"
            kinds[refused] += 1
            assert not refused or json.dumps(world.data, sort_keys=True) == before

    held()
    assert kinds[True] > 50
    assert kinds[False] > 20


BOOKING = {
    "user_id": "mia_li_3668", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy",
    "flights": [{"flight_number": "HAT136", "date": "2024-05-20"}, {"flight_number": "HAT039", "date": "2024-05-20"}],
    "passengers": [{"first_name": "Mia", "last_name": "Li", "dob": "1990-04-05"}],
    "payment_methods": [{"payment_id": "certificate_7504069", "amount": 250}, {"payment_id": "credit_card_4421486", "amount": 5}],
    "total_baggages": 3, "nonfree_baggages": 0, "insurance": "no",
}  # fmt: skip
WRONG_BOOKINGS = {
    "user nobody not found": {"user_id": "nobody"},
    "flight HAT999 not found": {"flights": [{"flight_number": "HAT999", "date": "2024-05-20"}]},
    "flight HAT136 not found on date 2025-01-01": {"flights": [{"flight_number": "HAT136", "date": "2025-01-01"}]},
    "flight HAT136 not available on date 2024-05-01": {"flights": [{"flight_number": "HAT136", "date": "2024-05-01"}]},
    "not enough seats on flight HAT136": {"passengers": BOOKING["passengers"] * 30},
    "payment method cash not found": {"payment_methods": [{"payment_id": "cash", "amount": 255}]},
    "not enough balance in payment method certificate_7504069": {"payment_methods": [{"payment_id": "certificate_7504069", "amount": 255}]},
    "payment method certificate_7504069 can be used only once":
        {"payment_methods": [{"payment_id": "certificate_7504069", "amount": 5}, {"payment_id": "certificate_7504069", "amount": 250}]},
    "payment amount does not add up, total price is 255, but paid 254": {"payment_methods": [{"payment_id": "credit_card_4421486", "amount": 254}]},
}  # fmt: skip


@pytest.mark.parametrize("reason", WRONG_BOOKINGS)
async def test_a_wrong_booking_is_refused_with_its_reason_and_the_right_one_then_goes_through(bench, gold, state, reason):
    before, world = fresh(bench.tables("airline")), bench.world("airline")
    run = await lived(world, [("book_reservation", {**BOOKING, **WRONG_BOOKINGS[reason]})])
    assert [(seen.ok, seen.kind, seen.text) for _, seen in run.observed] == [(False, "refused", f"Error: {reason}")]
    assert world.data == before
    await lived(world, [("book_reservation", BOOKING)])
    assert state(before, world.data) == gold["airline test"]["states"][0]


async def test_arguments_that_do_not_fit_the_schema_never_reach_the_world(bench):
    before, world = fresh(bench.tables("retail")), bench.world("retail")
    calls = [
        ("cancel_pending_order", {"order_id": "#W5442520", "reason": "bored"}),
        ("cancel_pending_order", {"order_id": "#W5442520"}),
        ("modify_user_address", {"user_id": ["yusuf_rossi_9620"], "street": "x"}),
    ]
    run = await lived(world, calls)
    assert [seen.kind for _, seen in run.observed] == ["bad_arguments"] * 3
    assert world.data == before


# ── the small ones ────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("expression", "value"), [("2 + 2", "4.0"), ("(10.5 - 0.25) * 3", "30.75"), ("100 / 3", "33.33"), ("-5 + 2", "-3.0")])
def test_calculate(expression, value):
    assert calculate(expression) == value


@pytest.mark.parametrize(("expression", "problem"), [("__import__('os')", "invalid characters"), ("1 / 0", "zero"), ("2 +", "end"), ("", "empty")])
def test_calculate_refuses(expression, problem):
    with pytest.raises(Refusal, match=re.escape(problem)):
        calculate(expression)


def test_what_has_to_be_said_is_looked_for_as_the_benchmark_does():
    assert told(["1000", "Camera", "4"], "It costs 1,000 for the camera.") == ["4"]


def test_a_flight_with_one_stop_goes_on_after_it_has_arrived(bench):
    world = bench.world("airline")
    found = world.search_onestop_flight("JFK", "SEA", "2024-05-20")
    assert found
    for first, second in found:
        assert first["destination"] == second["origin"]
        day = "2024-05-21" if "+1" in first["scheduled_arrival_time_est"] else "2024-05-20"
        assert (first["date"], second["date"]) == ("2024-05-20", day)
        assert first["scheduled_arrival_time_est"] <= second["scheduled_departure_time_est"]
        assert {first["status"], second["status"]} == {"available"}


def test_data_that_are_not_there_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"no .*db_json\.tar\.xz; give the folder"):
        tau_world.tables(tmp_path, "airline")


async def test_a_fourth_booking_is_refused(bench):
    world = bench.world("airline")
    booking = {**BOOKING, "payment_methods": [{"payment_id": "credit_card_4421486", "amount": 255}]}
    model = native([("book_reservation", booking)] * 4, "Done.")
    run = await Agent(model, world.tools(), dialect="native", permissions=ALLOWED, max_steps=8).run("Book four.")
    assert [json.loads(seen.text)["reservation_id"] if seen.ok else seen.text for _, seen in run.observed] == [
        "HATHAT", "HATHAU", "HATHAV", "Error: no further reservation can be booked now",
    ]  # fmt: skip
