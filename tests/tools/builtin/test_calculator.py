from tao.messages import Call
from tao.testing import history
from tao.tools.builtin.calculator import calculator
from tao.tools.registry import registry, specs


async def test_as_a_tool():
    made = calculator()
    act = registry([made])
    for lang, said in (("en", "calculator failed: division by zero. Change"), ("zh", "calculator 出错：除数为零。请修改")):
        run = history("q", tools=specs([made], lang), lang=lang)
        assert (await act(Call("1", "calculator", {"expression": "0.1+0.2"}), run)).text == "0.3"
        assert (await act(Call("2", "calculator", {"expression": 5}), run)).text == "5"
        assert said in (await act(Call("3", "calculator", {"expression": "1/0"}), run)).text
    assert made.said("zh").description.startswith("计算算式")
    assert made.inline
