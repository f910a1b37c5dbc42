from tao.tools.schema import lean, without_null


def test_references_are_written_out_and_titles_go():
    schema = {
        "title": "X", "type": "object", "$defs": {"P": {"title": "P", "type": "object", "properties": {"title": {"title": "Title", "type": "string"}}}},
        "properties": {"p": {"$ref": "#/$defs/P", "description": "where"}},
    }  # fmt: skip
    assert lean(schema) == {
        "type": "object",
        "properties": {"p": {"type": "object", "properties": {"title": {"type": "string"}}, "description": "where"}},
    }


def test_a_type_that_contains_itself_keeps_its_reference():
    node = {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}], "default": None}}}
    out = lean({"$defs": {"N": node, "Unused": {}}, "type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}})
    assert out["properties"]["n"] == {"$ref": "#/$defs/N"}
    assert out["$defs"] == {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}}


def test_two_types_that_contain_each_other():
    defs = {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"items": {"$ref": "#/$defs/A"}}}
    assert set(lean({"$defs": defs, "properties": {"a": {"$ref": "#/$defs/A"}}})["$defs"]) == {"A", "B"}


def test_alternatives():
    assert lean({"anyOf": [{"type": "integer"}, {"type": "null"}]}) == {"type": ["integer", "null"]}
    assert lean({"oneOf": [{"const": 1}, {"type": "string"}], "discriminator": {}}) == {"anyOf": [{"enum": [1]}, {"type": "string"}]}
    assert lean({"allOf": [{"type": "integer"}], "description": "n"}) == {"type": "integer", "description": "n"}


def test_without_null():
    assert without_null({"type": ["integer", "null"]}) == {"type": "integer"}
    assert without_null({"type": ["integer", "string", "null"]}) == {"type": ["integer", "string"]}
    assert without_null({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}) == {"enum": ["a"]}
    assert without_null({"anyOf": [{"enum": ["a"]}, {"items": {}}, {"type": "null"}]}) == {"anyOf": [{"enum": ["a"]}, {"items": {}}]}
    assert without_null({"enum": ["a", None]}) == {"enum": ["a"]}


def test_what_says_nothing_goes_and_what_says_something_stays():
    assert lean({"type": "array", "items": {}, "default": []}) == {"type": "array"}
    assert lean({"type": "object", "additionalProperties": True}) == {"type": "object"}
    assert lean({"type": "object", "properties": {}, "additionalProperties": False}) == {"type": "object", "properties": {}}
    open_ended = {"type": "object", "properties": {}, "additionalProperties": True}
    assert lean(open_ended) == open_ended
    assert lean({"examples": [1, 2], "default": 5}) == {"examples": [1], "default": 5}


def test_docstrings_of_classes_describe_their_fields():
    out = lean({"properties": {"x": {"type": "integer"}}, "description": "A point.\n\nAttributes:\n    x: how far"})
    assert out["description"] == "A point."
