"""The tool `calculator`."""

from tao.tools.builtin.arithmetic import calculate
from tao.tools.declare import Tool, declare


def calculator() -> Tool:
    """A tool that works out arithmetic exactly, within some milliseconds and without `eval`."""

    def run(expression: str) -> str:
        return calculate(expression)

    return declare(
        run, name="calculator", inline=True, idempotent=True, example={"expression": "2*(3+4)"},
        description="Work out an arithmetic expression: + - * / // ^ % ! ( ), sqrt, round, log, sin, min, max, pi …\n\n"
        'Args:\n    expression: e.g. "2*(3+4)^2" or "15% * 200"',
        descriptions={"zh": "计算算式：+ - * / // ^ % ! ( )、sqrt、round、log、sin、min、max、pi 等。\n\n"
                            '参数：\n    expression: 例如 "2*(3+4)^2" 或 "15% * 200"'},
    )  # fmt: skip
