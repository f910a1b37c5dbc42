"""Where a call that only looks may lead on the network, once strangers' text has been read: a pure reading of the run.

To read an address is to send it: to whom, and with all that stands in it. So after a run has read what strangers may have
written, an address must have an origin that no stranger decides: the person or the owner named its host, the model
chose the host before, a search gave it as a link, or a tool that is trusted did. A link on a page to the same site is as
good while nothing private was read. What was read in private must not leave: not in any argument, and not in an address that was
put together afterwards, be it on a host that the person named. All else asks a person.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from tao.messages import Call
from tao.permissions.addresses import Address, address, hosts, named, spellings, within
from tao.permissions.effects import reaching
from tao.permissions.taint import Known, Seen, Source, accounts, before, described, leaves, named_by, pointing, source, squeeze
from tao.run import Run

FEW = 24
"""Letters and digits; what brought back no more is a number or a date, and nothing private."""

Why = Literal["link", "made up", "unknown", "private"]


@dataclass(frozen=True, slots=True)
class Outward:
    """The parameter that leads out, the tool whose text is behind it ("" where none is known), and what is wrong with it.

    "link": it stands in strangers' text; "made up": on a host that stands there; "unknown": nobody gave it, and strangers'
    text has been read; "private": it carries what was read in private, or may.
    """

    parameter: str
    tool: str
    why: Why


def leads_out(call: Call, run: Run, owners: Iterable[str] = ()) -> Outward | None:
    """What in this call may serve a stranger; None where nothing does. `owners` are hosts that the owner's rules name."""
    known = before(call, run)
    spec = run.tool(call.tool)
    stranger = spec is not None and {"network", "untrusted"} <= set(reaching(spec.effects, call.args))
    if (found := next(_places(call, run, known, tuple(owners)), None)) is not None:
        return found
    if (known.tainted or stranger) and (origin := _carries(call, known)) is not None:
        return Outward(*origin, "private")
    return None


def from_nobody(call: Call, run: Run, owners: Iterable[str] = ()) -> str | None:
    """The parameter of a change with an account, address or number of something that nobody gave, after strangers' text has been read; else None.

    A model does not know such things by itself: they were made up, or stood in the text in disguise.
    """
    known = before(call, run)
    if not known.tainted:
        return None
    trusted = "\n".join([known.said, *(seen.text for seen in known.read if not seen.strange)])
    plain, named_hosts = squeeze(trusted), {*hosts(trusted), *owners}
    for name, value in call.args.items():
        if any(squeeze(one) not in plain for text in leaves(value) for one in accounts(text)):
            return name
        if pointing(name) and any(any(map(str.isdecimal, text)) and not named_by(text, trusted) for text in leaves(value)):
            return name
    return next((name for name, place in named(call.args) if not place.bare and not within(place.host, named_hosts)), None)


# ── places ────────────────────────────────────────────────────────────────────


def _places(call: Call, run: Run, known: Known, owners: tuple[str, ...]) -> Iterator[Outward]:
    places = list(named(call.args))
    if not places:
        return
    strange = [(seen.call.tool, seen.text) for seen in known.read if seen.strange] + ([("history", known.history)] if known.history else [])
    told = described(call, run)
    said = hosts(known.said)
    secret = next((seen.call.tool for seen in known.read if _private(seen)), "")
    for name, place in places:
        if within(place.host, owners):
            continue
        tool, site = next((tool for tool, text in strange if place.stands_in(text)), ""), _site(place)
        near = tool or next((one.tool for one in [*known.strange, *told] if len(site) > 3 and site in one.text), "")
        if (place.bare and not near) or not (known.tainted or near) or _given(place, known, private=bool(secret)):
            continue
        chosen = within(place.host, said) or any(_chosen(place, seen) for seen in known.read)
        if not chosen:
            yield Outward(name, near, "link" if tool else "made up" if near else "unknown")
        elif secret and place.rest.strip("/") and not tool and not place.stands_in(known.said) and not any(_on_site(place, seen) for seen in known.read):
            yield Outward(name, secret, "private")


def _private(seen: Seen) -> bool:
    return "network" not in seen.effects and len(squeeze(seen.text)) > FEW


def _site(place: Address) -> str:
    """The end of the host's name that says whose it is, squeezed; of "a.b.example.org" it is "example.org"."""
    labels = place.host.split(".")
    short = len(labels) > 2 and len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return squeeze(place.host if labels[-1].isdecimal() else ".".join(labels[-3 if short else -2 :]))


def _given(place: Address, known: Known, *, private: bool) -> bool:
    """Whether the address has, as it stands, an origin that no stranger decides. `private`: something private was read."""
    return any(
        place.said in _read(seen) or _offered(place, seen, private=private) or _trusted(place, seen) or (not private and _on_site(place, seen))
        for seen in known.read
    )


def _read(seen: Seen) -> set[str]:
    """The addresses on the network that this call read."""
    return {one.said for _, one in named(seen.call.args)} if "network" in seen.effects else set()


def _chosen(place: Address, seen: Seen) -> bool:
    """Whether this call read something on the host before any stranger could have a say."""
    return seen.unseen and "network" in seen.effects and any(place.host == one.host for _, one in named(seen.call.args))


def _same(value: Any, known: Known) -> bool:
    """Whether a value is an address that was read before, or that a trusted tool gave, and nothing else."""
    place = address(value, takes=True) if isinstance(value, str) else None
    return place is not None and any(place.said in _read(seen) or _trusted(place, seen) for seen in known.read)


def _offered(place: Address, seen: Seen, *, private: bool) -> bool:
    """Whether a search gave it: a tool that was sent words and no address.

    As a value of its own, or anywhere in the text where the tool's texts are not written to us by others ("untrusted"):
    those could hold any link.
    """
    if "network" not in seen.effects or _addressed(seen):
        return False
    ours = "untrusted" not in seen.effects
    alone = any((found := address(text)) is not None and found.said.rstrip("/") == place.said.rstrip("/") for text in leaves(_values(seen)))
    asked = any(isinstance(value, str) and value.strip() for value in seen.call.args.values())
    return (alone and (ours or not private)) or (ours and asked and place.stands_in(seen.text))


def _addressed(seen: Seen) -> list[Address]:
    """The addresses that a call was sent to."""
    wholes = (one for _, one in named(seen.call.args))
    texts = {text for value in seen.call.args.values() for text in leaves(value)}
    return [one for one in wholes if not one.bare and any((found := address(text, takes=True)) and found.said == one.said for text in texts)]


def _values(seen: Seen) -> Any:
    """What was brought back, as values: those that the tool gave, else its text read as JSON, else nothing."""
    if seen.observation.data is not None:
        return seen.observation.data
    text = seen.observation.full or re.sub(r"\A<[^\n]*>\n|\n</[^\n]*>\Z", "", seen.observation.text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _trusted(place: Address, seen: Seen) -> bool:
    return not seen.strange and place.stands_in(seen.text)


def _on_site(place: Address, seen: Seen) -> bool:
    """Whether it is a link to the page's own site, as it stands on the page; "/next" on it will do."""
    if all(place.host != one.host for one in _addressed(seen)):
        return False
    path = "|".join(map(re.escape, spellings(place.rest)))
    local = len(place.rest) > 1 and not place.user and re.search(rf"(?<![\w/.:])(?:{path})(?=[\s\"'<>()\[\]#]|$)", seen.text) is not None
    return local or place.stands_in(seen.text)


# ── what was read in private ──────────────────────────────────────────────────


def _carries(call: Call, known: Known) -> tuple[str, str] | None:
    """The parameter that has text of a tool that is not on the network, and that tool; what is public besides does not count."""
    private = [Source(seen.call.tool, squeeze(seen.text)) for seen in known.read if "network" not in seen.effects]
    public = [squeeze(seen.text) for seen in known.read if "network" in seen.effects]
    made = {name: value for name, value in call.args.items() if not _same(value, known)} if private else {}
    return source(replace(call, args=made), private, known.said, public, parts=True)
