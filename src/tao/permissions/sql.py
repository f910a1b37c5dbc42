"""Whether a text is one SELECT that changes nothing, in any common SQL dialect. What is not plain is not said to be one.

A lexer, no parser: it accepts only what every dialect splits into the same words, one statement, no word that writes or
locks, and no function but those listed here, for a function may do anything (pg_terminate_backend, setval, load_file …).
"""

import re

WORDS = re.compile(
    r"""(?P<blank>\s+)
    | (?P<comment>--[ \t][\w \t,.:=()]*(?=\n|\Z) | /\*[\w \t\n,.:=()]*\*/)
    | (?P<text>'(?:[^'\\]|'')*')
    | (?P<name>"(?:[^"\\]|"")*" | `[^`'"\\]*`)
    | (?P<number>\d[\w.]*|\.\d\w*)
    | (?P<word>[^\W\d][\w$]*)
    | (?P<end>;)
    | (?P<mark>\$\d+ | -(?!-) | /(?!\*) | :(?!=) | [()\[\],.*+%<>=!|&^~?@])""",
    re.VERBOSE,
)
WRITING = frozenset(
    "insert update delete merge into create drop alter truncate grant revoke deny exec execute call do set copy attach detach pragma vacuum "
    "reindex analyze lock unlock use declare begin commit rollback savepoint backup restore bulk shutdown kill dbcc waitfor reconfigure "
    "load handler prepare deallocate listen notify discard refresh cluster checkpoint share procedure outfile dumpfile returning "
    "upsert rename comment import export install optimize flush purge reset nextval currval".split()
)
"""Words that begin something else than looking, or take locks; T-SQL needs no semicolon before them."""
BEFORE_BRACKETS = frozenset(
    "select distinct all on from where and or not in as recursive join lateral using when then else case having by limit offset union "
    "intersect except between like ilike over filter group any some exists sets rollup cube materialized values array top is escape".split()
)
"""Words that an opening bracket may follow without being called; after "with" it holds hints, which may lock."""
FUNCTIONS = frozenset(
    "count sum avg min max total abs round ceil ceiling floor trunc sqrt power pow mod sign exp ln log log10 coalesce nullif ifnull isnull nvl iif "
    "if greatest least length len char_length character_length lower upper trim ltrim rtrim btrim substr substring replace concat concat_ws "
    "instr position strpos left right lpad rpad reverse initcap split_part cast convert try_cast date time datetime timestamp julianday "
    "strftime date_format date_trunc date_part datepart datename datediff dateadd date_add date_sub timestampdiff extract age now curdate "
    "getdate year quarter month week day hour minute second unixepoch to_char to_date to_timestamp to_number row_number rank dense_rank "
    "ntile lag lead first_value last_value nth_value percent_rank cume_dist percentile_cont percentile_disc median mode stddev stddev_pop "
    "stddev_samp variance var_pop var_samp corr group_concat string_agg array_agg listagg json_extract json_value json_array_length "
    "json_group_array json_object json_agg decimal numeric char varchar nvarchar float typeof likely unlikely bool_and bool_or".split()
)


def reads_only(text: str) -> bool | None:
    """True: one SELECT that changes nothing. False: plainly something else. None: not plain."""
    words: list[tuple[str, str]] = []
    place = depth = 0
    while place < len(text):
        found = WORDS.match(text, place)
        if found is None:
            return None
        kind, word = str(found.lastgroup), found.group()
        place = found.end()
        if kind in {"blank", "comment"}:
            continue
        depth += (word == "[") - (word == "]")
        if kind in {"text", "name"} and depth:
            return None  # a quote inside a bracketed name is no quote everywhere
        words.append((kind, word.lower()))
    while words and words[-1][0] == "end":
        words.pop()
    return _statement(words)


def _statement(words: list[tuple[str, str]]) -> bool | None:
    first = next((word for _, word in words if word != "("), "")
    if first not in {"select", "with"}:
        return False if words else None
    if any(kind == "end" or (kind == "word" and word in WRITING) for kind, word in words):
        return None
    for at, (_, word) in enumerate(words):
        if word == "value" and at and words[at - 1][1] == "next":
            return None  # it moves a sequence on
        if word == "(" and at and not _opens(words, at):
            return None
    return True


def _opens(words: list[tuple[str, str]], at: int) -> bool:
    """Whether the bracket at this place opens an expression, a query or a known function's arguments."""
    kind, before = words[at - 1]
    if kind in {"name", "text"} or before in {"]", ")"}:
        return False
    if kind != "word":
        return True
    qualified = at > 1 and words[at - 2][1] == "."
    return not qualified and (before in BEFORE_BRACKETS or before in FUNCTIONS)
