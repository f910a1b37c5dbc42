"""Where requests go, and which hosts may be reached at all."""

import pytest

from tao.errors import ConfigError, ToolError
from tao.tools.openapi import open_document, openapi_tools
from tao.tools.openapi.document import Document, Unusable
from tao.tools.openapi.operations import Operation
from tao.tools.openapi.reach import in_the_open, reach
from tao.tools.web.urls import parse


def doc(*servers, source=""):
    data = {"openapi": "3.1.0", "servers": [one if isinstance(one, dict) else {"url": one} for one in servers]}
    return Document(data, source) if source else open_document(data)


def blocked(where, url):
    try:
        where.guard.judge(parse(url))
    except ToolError as error:
        return str(error)
    return ""


def test_what_a_person_names_goes_first_and_may_be_private():
    where = reach(doc("https://api.example.com"), base_url="http://10.0.0.5:9000/v2/")
    assert (where.base, where.named, blocked(where, "http://10.0.0.5:9000/v2/x")) == ("http://10.0.0.5:9000/v2", True, "")
    assert "not one of the hosts allowed here" in blocked(where, "https://api.example.com/x")
    assert "not one of the hosts allowed here" in blocked(where, "http://10.0.0.5/x")


def test_of_the_documents_servers_the_first_on_an_allowed_host_is_taken():
    where = reach(doc("https://a.example.com", "https://b.example.com/v1", "https://c.internal"), hosts=["b.example.com", "c.internal"])
    assert (where.base, where.named) == ("https://b.example.com/v1", False)
    assert blocked(where, "https://c.internal/") == ""
    with pytest.raises(ConfigError, match=r"servers \(a.example.com:443\) are on none of the allowed hosts \(\*.example.org\); give base_url"):
        reach(doc("https://a.example.com"), hosts=["*.example.org"])


def test_a_document_cannot_lead_into_the_network():
    where = reach(doc("http://127.0.0.1:8080", "http://169.254.169.254"))
    assert "is not on the public internet" in blocked(where, "http://127.0.0.1:8080/x")
    assert "is not on the public internet" in blocked(where, "http://169.254.169.254/latest")
    assert "not one of the hosts" in blocked(where, "http://10.0.0.1/")


async def test_a_name_that_leads_into_the_network_is_not_reached():
    async def resolve(host):
        return ["10.0.0.7"]

    data = {"openapi": "3.1.0", "servers": [{"url": "https://api.example.com"}], "paths": {"/a": {"get": {"operationId": "a"}}}}
    with pytest.raises(ToolError, match="is not on the public internet"):
        await openapi_tools(data, resolve=resolve)[0]()


def test_where_it_was_fetched_from_is_where_it_is():
    assert reach(doc("/v1", source="http://10.0.0.5:9000/docs/openapi.json")).base == "http://10.0.0.5:9000/v1"
    assert reach(doc("../api", source="https://x.example.com/docs/openapi.json")).base == "https://x.example.com/api"
    where = reach(doc(source="http://10.0.0.5:9000/openapi.json"))
    assert (where.base, where.named, blocked(where, "http://10.0.0.5:9000/x")) == ("http://10.0.0.5:9000", True, "")
    elsewhere = reach(doc("http://10.0.0.6", source="http://10.0.0.5:9000/openapi.json"))
    assert "is not on the public internet" in blocked(elsewhere, "http://10.0.0.6/x")


def test_variables_of_a_server():
    server = {"url": "https://{region}.example.com/{v}", "variables": {"region": {"default": "eu", "enum": ["eu", "us"]}, "v": {"default": 2}}}
    assert reach(doc(server)).base == "https://eu.example.com/2"
    assert reach(doc(server), variables={"region": "us", "v": "3"}).base == "https://us.example.com/3"
    with pytest.raises(ConfigError, match=r"needs a value for 'region' \(eu, us\), and has 'cn'; give variables = { region = … }"):
        reach(doc(server), variables={"region": "cn"})
    with pytest.raises(ConfigError, match="needs a value for 'x'"):
        reach(doc("https://{x}.example.com"))


@pytest.mark.parametrize(("servers", "options", "said", "gesagt"), [
    ([], {}, "the document names no server; say where it is: base_url", "没有写明服务器"), (["/v1"], {}, "the document's server is '/v1', which does not say the host", "没有写明主机"),
    ([], {"base_url": "api.example.com"}, "base_url is 'api.example.com'; wanted an address such as", "应为类似"), ([], {"base_url": "https://x.example.com?a=1"}, "without ? and #", "不含 ? 和 #"),
    ([], {"base_url": "https://user:pw@x.example.com"}, "user name or password", "无法"), (["https://a b"], {}, "cannot be used", "无法使用"),
])  # fmt: skip
def test_an_address_that_is_none_is_said(servers, options, said, gesagt):
    with pytest.raises(ConfigError) as raised:
        reach(doc(*servers), **options)
    assert said in str(raised.value)
    assert gesagt in str(raised.value) or "base_url 为" in str(raised.value)


def test_an_operation_may_have_servers_of_its_own_on_allowed_hosts():
    document = doc("https://a.example.com")
    upload = Operation("POST", "/x", {"servers": [{"url": "https://up.example.com/"}]}, {}, "", "")
    where = reach(document, base_url="https://a.example.com", hosts=["up.example.com"])
    assert where.of(document, upload, {}) == ("https://up.example.com", False)
    with pytest.raises(Unusable, match=r"its own server up\.example\.com is not among the allowed hosts"):
        reach(document).of(document, upload, {})
    beside = Operation("GET", "/x", {}, {"servers": [{"url": "/v2"}]}, "", "")
    assert where.of(document, beside, {}) == ("https://a.example.com/v2", True)


@pytest.mark.parametrize(("base", "wanted"), [
    ("http://api.example.com", True), ("https://api.example.com", False), ("http://localhost:8000", False), ("http://10.0.0.1", False), ("http://8.8.8.8", True),
])  # fmt: skip
def test_what_can_be_read_on_the_way(base, wanted):
    assert in_the_open(base) is wanted


@pytest.mark.parametrize("server", ["http://127.0.0.1:8105", "http://localhost:8000/v1", "https://10.1.2.3", "http://[::1]:80", "http://shop.local"])
def test_a_server_within_a_network_that_only_the_document_names_is_no_tool(server):
    told = {"openapi": "3.1.0", "servers": [{"url": server}], "paths": {"/stock": {"get": {"operationId": "stock", "responses": {}}}}}
    with pytest.raises(ConfigError) as caught:
        openapi_tools(told)
    english, chinese = str(caught.value).split("\n")
    assert english.startswith("no tool can be made of the document: its server http")
    assert "is not on the public internet, and only the document names it; if it is meant, say so: base_url = " in english
    assert chinese.startswith("无法从该文档得到工具：它的服务器 http")
    assert "而且只由文档写明；如果确实要用，请写明：base_url = " in chinese
    assert [tool.name for tool in openapi_tools(told, base_url=server)] == ["stock"]
    place = parse(server)
    host = f"[{place.host}]" if ":" in place.host else place.host
    assert [tool.name for tool in openapi_tools(told, hosts=[f"{host}:{place.port}"])] == ["stock"]
    public = {**told, "servers": [{"url": "https://api.example.com"}]}
    assert [tool.name for tool in openapi_tools(public)] == ["stock"]
