"""What a question is, by rules alone: a greeting is answered directly, a sum or today's date needs tools. Pure, Chinese and English.

Only what is nearly certain is decided here; the rest is left to a model. Being wrong with "tools" costs a few tokens, being
wrong with "direct" may cost the answer, so whatever needs tools is looked for before whatever can do without.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from tao.facts import codes, dates, expressions, names, number_words, numbers, paired
from tao.messages import ToolSpec

Way = Literal["direct", "tools", "plan", "ask"]
"""Answer at once; work in the loop; work in the loop, in several steps that build on each other; the rules do not know."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Which way a question goes, and the rule that says so ("" where none does)."""

    way: Way
    rule: str = ""


def kind(question: str, tools: Sequence[ToolSpec] = (), *, follows: bool = False) -> Kind:
    """Which way the question goes by the rules. `follows`: it is asked in a conversation, and may be about what was said before."""
    text = question.strip()
    for name, holds in SMALL_TALK.items():
        if holds(text):
            return Kind("direct", name)
    task, given = parted(text)
    named = mentions_tool(task, tools)
    if given and not named and not (_URL(given) and " " not in given) and (rule := language_task(task)) and not _elsewhere(task, given):
        return Kind("direct", rule)
    needs = "tool_named" if named else next((name for name, holds in NEEDS.items() if holds(text)), "")
    if needs:
        return Kind("plan", "several_parts") if several(text) else Kind("tools", needs)
    if follows:
        return Kind("ask")
    plain = (name for name, holds in PLAIN.items() if holds(text) and not _SOURCE(text) and not (_SENDING(text) if name == "writing" else _SPECIFIC(text)))
    return next((Kind("direct", name) for name in plain), Kind("ask"))


def _finds(*patterns: str) -> Callable[[str], bool]:
    whole = re.compile("|".join(patterns), re.IGNORECASE)
    return lambda text: whole.search(text) is not None


# ── said, not asked ───────────────────────────────────────────────────────────

_CALLED = r"(?:[\s,，]+(?:there|again|everyone|everybody|all|team|friend|assistant|bot|tao|同学|老师|朋友们?|大家|助手))?"
_END = r"[\s!！.。~～?？,，、:：)）😊🙏👋]*"
_HELLO = r"(?:hi+|hello+|hey+|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|(?:你|您|大家|各位)好[啊呀吗]?|(?:早上|上午|中午|下午|晚上)好|早安?|晚安|哈[喽啰罗]|嗨|在吗|在不在|你们好|幸会)"
_FINE = (
    r"(?:how are you(?: doing)?(?: today)?|how(?:'s| is) it going|what'?s up|nice to (?:meet|see) you|(?:你)?(?:最近|今天)?(?:怎么样|过得(?:好吗|怎么样))|很高兴(?:认识|见到)你)"
)
_THANKS = (
    r"(?:(?:many |ok(?:ay)?,? |great,? |perfect,? )?(?:thanks?(?: (?:you|a lot|so much|very much|a million|again|for (?:your|the|all (?:your|the)) \w+))*|thx|ty|cheers|much appreciated)"
    r"|(?:太|十分|非常|真是?)?(?:感谢|谢谢|多谢|谢了|辛苦)(?:你|您|啦|了|哦|啊|你们|大家|您的?帮[助忙]|你的帮[助忙])*)"
)
_BYE = r"(?:(?:good)?bye(?:[- ]bye)?|see (?:you|ya)(?: (?:later|soon|tomorrow))?|good ?night|take care|have a (?:nice|good|great) (?:day|one|evening|weekend)|再见|拜拜|回头见|明天见|下次见|回见)"
_YES = (
    r"(?:(?:ha|he|lol){1,4}|哈{2,}|嘿{2,}|you(?:'re| are) (?:so |very |really )?(?:funny|great|awesome|the best|smart|kind)|你(?:真|好|太)(?:有意思|聪明|好|棒|厉害|逗|可爱)了?"
    r"|ok(?:ay)?|k|sure|great|perfect|cool|nice|got it|i see|understood|sounds good|well done|good (?:job|work)|no problem|never ?mind|that(?:'s| is) all(?: for now)?"
    r"|好的?|好吧|好呀|行|可以了?|明白了?|知道了|了解了?|收到|没问题|不客气|原来如此|不错|很好|太好了|真棒|没事了?|就这些)"
)
_WORDS = (_HELLO, _FINE, _THANKS, _BYE, _YES)
_TALK = re.compile(rf"(?:(?:{'|'.join(_WORDS)}){_CALLED}{_END})+", re.IGNORECASE)
_SELF = _finds(
    r"^(?:so,? )?(?:who|what) are you\b[\s?!.]*$", r"^what(?:'s| is) your name\b", r"^what can you (?:do|help)(?: (?:for )?me)?(?: with)?\b[\s?!.]*$",
    r"^are you (?:an? )?(?:ai|robot|bot|human|person|machine|chatbot)\b", r"^(?:who|what company) (?:made|built|created|trained) you\b", r"^how (?:can|could|do) you help( me)?[\s?!.]*$",
    r"^(?:请问)?(?:你|您)(?:是谁|是什么(?:人|东西|模型)?|叫什么(?:名字)?|能(?:帮我)?做(?:些)?什么|会(?:些|做)?什么|有(?:什么|哪些)功能|是(?:机器人|真人|人|人工智能|AI)吗)[呀啊呢]?[?？。!！\s]*$",
    r"^(?:请)?(?:先)?(?:自我介绍|介绍一?下(?:你)?自己)",
)

SMALL_TALK: dict[str, Callable[[str], bool]] = {
    "small_talk": lambda text: len(text) <= 120 and _TALK.fullmatch(text) is not None,
    "about_itself": lambda text: len(text) <= 80 and _SELF(text),
}

# ── work on a text that is given ──────────────────────────────────────────────

_GIVEN = re.compile(r"[:：](?!//)\s*(\S.{3,})$|\n\s*(\S.{3,})$", re.DOTALL)
_MARKED = re.compile(r"[“\"「『《](.+?)[”\"」』》]|(?<!\w)['‘](.+?)['’](?!\w)", re.DOTALL)


def parted(text: str) -> tuple[str, str]:
    """A message parted into what is to be done and the text that it is to be done with ("" where none is given)."""
    if marked := _MARKED.search(text):
        return _MARKED.sub(" … ", text), marked[1] or marked[2] or "…"
    if found := _GIVEN.search(text):
        return text[: found.start()], (found[1] or found[2]).strip()
    return text, ""


_LANGUAGES = (
    r"(?:english|chinese|mandarin|french|german|spanish|italian|portuguese|russian|japanese|korean|arabic|hindi|latin|dutch|swedish|thai|vietnamese|turkish|polish|greek"
    r"|英语|英文|中文|汉语|法语|法文|德语|德文|西班牙语|意大利语|葡萄牙语|俄语|日语|日文|韩语|韩文|阿拉伯语|拉丁语|泰语|越南语|文言文|白话文?)"
)
_TRANSLATION = _finds(
    r"\btranslat(?:e|ion)\b", rf"\b{_LANGUAGES} (?:word|phrase|term|expression|translation) for\b", rf"\bhow (?:do|would|can) (?:you|i|we|one) say\b.*\b{_LANGUAGES}", rf"\b(?:in|into) {_LANGUAGES}\b", "翻译", rf"译[成为]|用{_LANGUAGES}(?:怎么|如何)(?:说|写|讲)|{_LANGUAGES}(?:怎么|如何)(?:说|写|讲)|的{_LANGUAGES}是",
)
_EDITING = _finds(
    r"^(?:please |can you |could you )*(?:summari[sz]e|shorten|rewrite|rephrase|paraphrase|proof-?read|polish|edit|correct|simplify|reformat|continue)\b",
    r"\b(?:grammar|spelling|punctuation|typos?|tone|sentiment)\b", r"(?:改写|润色|校对|缩写|扩写|续写|总结|概括|归纳|精简|改正|纠正|修改|改得|改成|语法|错别字|病句|语气|情感)",
)
_WORDING = _finds(
    r"\b(?:synonyms?|antonyms?|opposite|plural|past tense|rhymes?) (?:of|for|with)\b", r"\bwhat does\b.*\bmean\b", r"\bmeaning of\b", r"\bdefine\b", r"\bspell\b", r"\b(?:use|make) .* (?:in )?a sentence",
    r"(?:近义词|反义词|同义词|造.{0,3}句|(?:说出|列举|写出|给出).{0,8}(?:词|词语|成语)|拼音|读音|怎么读|怎么写|什么意思|是什么意思|的意思|含义|词性|复数|过去式|出自)",
)
_DOING = _finds(
    r"\b(?:send|e-?mail|post|publish|save|store|upload|forward|reply to|file|print)\b.*\b(?:to|in|on|as|it|them)\b", r"(?:发送|发给|发到|保存|存到|存为|上传|转发|发布|打印|写入)", r"\b(?:latest|today'?s?|my last)\b", r"最新|今天的|刚才的",
    r"\b(?:document|file|page|article|report|e-?mail|url|link) (?:at|from|in|named|called)\b", r"(?:文件|网页|链接|邮件|文档)",
    r"\b(?:in|on|of|from) (?:the|my|our) (?:\w+ )?(?:list|profile|record|database|table|sheet|spreadsheet|account|settings|calendar|system)\b|(?:资料|档案|数据库|表格|系统|记录|日历|账户)(?:里|中|上|内)",
)


def language_task(task: str) -> str:
    """The rule by which something is to be done with words alone; "" where that is not so."""
    if _DOING(task) or _URL(task):
        return ""
    return next((name for name, holds in (("translation", _TRANSLATION), ("editing", _EDITING), ("wording", _WORDING)) if holds(task)), "")


_ELSEWHERE = _finds(
    r"\b(?:my|our|his|her|their|the) (?:\w+ )?(?:discussions?|meetings?|talks?|calls?|chats?|records?|read-?me|wiki|tickets?|issues?|projects?|plans?|minutes|threads?|logs?|data|reviews|orders?|customers?|clauses?|repo(?:sitory)?|branch|chapters?)\b",
    r"会议|纪要|讨论|聊天|记录|工单|项目|合同|订单|客户|日志|第[一二三四五六七八九十\d]+[章节页份]",
)
"""What is to be worked on lies somewhere else, and what stands behind the colon is no text but says more about it."""
_BRIEF = _finds(r"\b(?:summari[sz]e|shorten)\b", r"总结|概括|归纳|缩写|精简")


def _elsewhere(task: str, given: str) -> bool:
    """Whether the task asks for a fact, speaks of a text that is not given, or would make something shorter that is short already."""
    return _AMOUNT(task) or _FRESH(task) or _ELSEWHERE(task) or (_BRIEF(task) and sum(2 if char > "\u2e7f" else 1 for char in given) < 36)


# ── what needs tools ──────────────────────────────────────────────────────────

_URL = _finds(r"https?://|\bwww\.|\b[\w.+-]+@[\w-]+\.\w+", r"(?:^|\s)(?:~|\.{0,2})/[\w.-]+(?:/[\w.-]+)*\b", r"\b[\w-]+\.(?:txt|csv|json|pdf|docx?|xlsx?|md|py|log|ya?ml|html?|png|jpe?g|db|zip)\b")
_LONG_DIGITS = re.compile(r"(?<![\d.,])\d{5,}(?![\d.,]*\d)")
_SUMS = _finds(
    r"\b(?:calculate|compute|work out|add up|sum of|total of|average of|mean of|product of|difference between|square root|percent(?:age)? of|divided by|multiplied by|times|plus|minus|to the power)\b",
    r"\bhow much is\b|\bconvert\b", r"计算|算一?下|算出|求和|总和|平均|加上|减去|乘以|除以|平方根|次方|百分之|换算|折合|等于多少|打[一二三四五六七八九\d]+折",
)
_DAYS = _finds(
    r"\b(?:today|tomorrow|yesterday|tonight|now(?!\s+that)|currently|right now|(?:this|next|last|past|coming) (?:week|month|year|quarter|weekend|hour|night|mon|tues|wednes|thurs|fri|satur|sun)\w*)\b",
    r"\b(?:ago|from now|until|till|since)\b.*\b(?:days?|weeks?|months?|years?|hours?|today|now|birthday|christmas|new year)\b|\b(?:days?|weeks?|months?|years?|hours?|minutes?)\b.{0,20}\b(?:ago|from now|until|till|since|later|before|after)\b",
    r"\bwhat (?:time|day|date|month|year)\b.*\bis (?:it|today)\b|\bwhat(?:'s| is) the (?:date|time|day)\b|\bhow old (?:is|are|am)\b|\bday of the week\b",
    r"今[天日晚早年]|明[天日晚早年]|后天|昨[天日晚]|前天|去年|现在|此刻|目前|当前|眼下|这周|本周|下周|上周|这个?月|本月|下个?月|上个?月|本季度|周末|几[点号]|星期几|周几|礼拜几|什么日子|多少天[之以]?[前后]|(?:天|周|个?月|年|小时|分钟)[之以]?[前后]|距[今离]|还(?:有|剩)(?:多少|几)[天周个]|至今|几岁|多大年[纪龄]|多大了",
)
_FRESH = _finds(
    r"\b(?:weather|temperature (?:in|outside)|forecast|news|headlines?|stock|share price|exchange rate|price of|prices? for|traffic|latest|up[- ]to[- ]date|breaking|recent(?:ly)?|live|scores?|standings|who won|flights? (?:from|to)|trains? (?:from|to)|open now|near(?:by| me| here)|current (?!affairs)\w+|box office|bitcoin|(?:interest|mortgage|exchange|inflation|unemployment|tax) rates|trending|trading at|what(?:'s| is) new|on strike|umbrella|raincoat|wear (?:outside|today)|for (?:lunch|dinner|breakfast)|the menu|(?:the|a|our|your) new \w+ (?:of|in|at))\b",
    r"天气|气温|预报|会下雨|下雨吗|下雪|新闻|头条|股价|股票|汇率|价格|多少钱|售价|路况|最新|最近(?:的|有|发)|刚刚|实时|比分|赛果|谁赢|排名|航班|车次|高铁票|附近|现任|票房|比特币|油价|房价|利率|限行|热搜|榜单|上映|菜单|带伞|穿什么|股市|网速|大盘",
)
_PRIVATE = _finds(
    r"\b(?:my|our|her|his|their)\s+(?:last |next |new |own )?(?:\w+\s)?(?:orders?|accounts?|bills?|invoices?|balance|calendar|schedule|appointments?|meetings?|e-?mails?|inbox|messages?|files?|folders?|documents?|notes?|contacts?|tasks?|to-?dos?|reservations?|bookings?|subscriptions?|tickets?|packages?|parcels?|shipments?|deliver(?:y|ies)|refunds?|payslips?|salary|flights?|passwords?|policy|claims?|points|cart|team|department|company|customers?|sales|database|repo(?:sitory)?|server|logs?|device|photos?|(?:\w+ )?lists?|(?:\w+ )?results?|visa|passport|insurance|warranty)\b",
    r"\b(?:order|invoice|ticket|customer|employee|case|tracking|flight|account|shipment|parcel|contract|item|room|table) (?:number |no\.? ?|id |#)?#?[A-Z]*\d", r"\b(?:in stock|inventory|opening hours|office hours|who is on call)\b",
    r"(?:我|我们|咱们?|本人|本公司|公司|部门|他|她|客户|张三|李四)的?(?:上一?[个次]|最近的?|那个|那份|全部|所有)?(?:订单|账户|帐户|账单|发票|余额|日历|日程|行程|预约|会议|邮件|邮箱|收件箱|消息|文件夹?|文档|笔记|备忘|联系人|任务|待办|预订|订阅|工单|包裹|快递|物流|退款|工资|航班|密码|保单|理赔|积分|购物车|客户|销售额?|业绩|库存|数据库|仓库|服务器|日志|照片|年假|考勤|报销)",
    r"我(?:们)?(?:上次|上回|昨天|之前|过去)|我(?:们)?(?:的)?(?:学校|小区|班|家|团队|项目|单位)|(?:仓库|库房|店里|公司里?|家里|账上)还?有", r"订单号?|工单|快递|包裹|物流|库存|营业时间|值班",
)
_ACTIONS = _finds(
    r"^(?:please |can you |could you |would you |i (?:want|need) you to |i'd like (?:you )?to |help me (?:to )?|kindly |go ahead and |let's )*"
    r"(?:send|book|reserve|order|buy|pay|transfer|cancel|delete|remove|create|schedule|reschedule|remind|set|update|upload|download|submit|post|publish|open|close|start|stop|restart|run|execute|save|store|move|copy|rename|install|deploy|turn|switch|play|call|text|e-?mail|forward|invite|register|sign|approve|assign|add|file|print|archive|subscribe|unsubscribe|refund|return|ship|mute|lock|unlock|back up|sync|log|record|fetch|look up|search|find|google|browse|check|list|show|get|read|query|scan|monitor|track|count|sort|plot|draw a chart)\b(?! (?:up with|me how|me what|out why|the meaning|an? (?:analogy|metaphor|word|rhyme)))",
    r"(?:请|帮我?|给我|麻烦|替我|把.{1,20}|能不能|可以)(?:你|您)?(?:把.{1,20})?(?:发送|发[给到一]|预[订定约]|订[一个张间]|下单|购买|买[一个张]|付款|支付|转账|取消|删除?|创建|新建|建[一个]|安排|提醒|设置?|更新|上传|下载|提交|发布|打开|关闭|启动|停止|重启|运行|执行|保存|存[到为]|移动|复制|重命名|安装|部署|播放|拨打|邀请|登记|注册|批准|分配|添加|打印|归档|退订|退货|退款|发货|查|搜|找|检索|看看|读取|列出|统计|画[一个]?图)",
    r"^把[^“”\"：:]{1,20}(?:关[掉上闭]?|打?开|调[高低大小到]?|停[掉止]?|删[掉除]?|取消|锁|发[给到]|存|移|改到|加[到入])|^(?:给|向|跟|替|帮)[^，。]{1,12}(?:发|打|写|寄|转|订|约|回)[一个条封]?(?:消息|短信|邮件|电话|微信|信|钱|款|位|票|车)?",
    r"^(?:发送|预[订定约]|下单|购买|付款|转账|取消|删除|创建|新建|安排|提醒|设置|更新|上传|下载|提交|发布|打开|关闭|启动|停止|重启|运行|执行|保存|移动|复制|安装|部署|播放|拨打|邀请|查[一询找下看]|查(?!理)|搜索?|检索|读取|列出(?!.{0,4}(?:优点|缺点|理由|例子|原因))|统计)",
    r"查[一]?下|查询(?!结果|语句)|搜一?下|上网|联网|\bsearch (?:for|the)\b|\blook (?:it |this )?up\b|\bonline\b",
)
_AMOUNT = _finds(
    r"\bhow (?:many|much|tall|high|long|old|far|big|large|deep|wide|heavy|fast)\b|\bwhat (?:is|was|are) the (?:population|height|length|area|size|distance|elevation|depth|price|speed|weight|altitude|revenue|salary|address|phone number)\b|\bwhen (?:is|was|did|does|will)\b|\bwhich (?:is|was|has|of)\b",
    r"多少|几[个座人家位名年岁]|多[高大远长深重快宽久]|哪[年一]?[个座年天家]?更|人口|海拔|面积|长度|高度|深度|地址|电话|何时|什么时候|哪[年天]",
)
_ABOUT = frozenset("I Explain Describe Earth Sun Moon English Chinese French German Spanish Japanese Korean Latin China France Japan Italy Germany Spain Britain America USA UK Europe Asia Africa".split())


_UNITS = _finds(
    r"\b(?:how (?:many|much)|what(?:'s| is| are))\b.*\d.*\b(?:seconds?|minutes?|hours?|days?|weeks?|miles?|kilomet(?:er|re)s?|km|met(?:er|re)s?|feet|foot|inch(?:es)?|yards?|cm|mm|pounds?|lbs?|kilograms?|kg|grams?|ounces?|litres?|liters?|gallons?|acres?|hectares?|celsius|fahrenheit|degrees)\b",
    r"\b(?:split|divide|share)\b.*\d", r"[\d一二两三四五六七八九十百千万半].{0,4}(?:度|英里|公里|千米|米|英尺|英寸|厘米|毫米|磅|公斤|千克|斤|克|盎司|升|加仑|亩|公顷|平方|小时|分钟|秒|元|美元)[^，。]{0,6}(?:是|等于|相当于|合|折合|有)(?:多少|几)", r"摄氏|华氏",
)
"""An amount in one unit, asked for in another."""


def _sums(text: str) -> bool:
    count = len(numbers(text)) + len(number_words(text))
    return bool(expressions(text)) or ((_SUMS(text) or _UNITS(text)) and count > 0) or (count > 1 and _AMOUNT(text))


def _uncommon(text: str) -> bool:
    """An amount or a time is asked of something with a name of its own, which is not one that everybody knows."""
    if not _AMOUNT(text):
        return False
    latin = [name for name in names(text) if name.isascii() and name not in _ABOUT]
    return bool(latin) or re.search(r"[\u4e00-\u9fff]{2,}(?:山|峰|湖|河|江|桥|塔|镇|县|村|市|岛|公司|大学|医院|大厦|先生|女士|楼|寺|号)(?:的|有|是|在|和|与|、|比|离|到)", text) is not None


def mentions_tool(task: str, tools: Sequence[ToolSpec]) -> bool:
    """Whether a tool is called by its name."""
    low = task.lower()
    return any(len(tool.name) > 3 and ("_" in tool.name or "-" in tool.name) and tool.name.lower() in low for tool in tools)


NEEDS: dict[str, Callable[[str], bool]] = {
    "address": _URL,
    "id": lambda text: bool(codes(text)) or _LONG_DIGITS.search(text) is not None,
    "calculation": _sums,
    "date": lambda text: _DAYS(text) or len(dates(text)) > 0,
    "fresh": _FRESH,
    "private": _PRIVATE,
    "action": _ACTIONS,
    "uncommon": _uncommon,
}

_THEN = _finds(r"\b(?:and then|after that|then)\b[^?]*\w", r"\?.*\?", r"[？?].*[？?]", r"然后|接着|再(?:把|算|查|用|告诉|发)|并(?:且|把|算|发|告诉)|各.{0,6}[，,].*(?:总|差|共)", r"\b(?:and|,) (?:by )?how (?:many|much)\b.*", r"\bboth\b.*\b(?:and|sum|total|difference)\b")
_COMPARED = _finds(r"\b(?:than|difference between|compared? (?:to|with)|which (?:is|of|has|was))\b", r"相差|差多少|更[高低大小长短多少早晚远近贵便深]|[比和与].{1,12}(?:多|少|高|低|大|小|长|短)(?:多少|几)")


def several(text: str) -> bool:
    """Whether the question has several parts: one thing after another, or two things to be set against each other."""
    return len(text) > 8 and (_THEN(text) or (_COMPARED(text) and any(paired(name, text) for name in names(text))))


_LATELY = r".*(?:[这那]么|下[跌滑降]|[上大暴]涨|[暴大]跌|[变很太好]慢|崩|挂|卡[顿住]?[?？]?$|坏|失败|报错|延误|晚点|停[电水运]|关门|打不开|老是|登录|断[线网]|审核|没(?:有)?(?:收到|通过|[到来][?？]?$)|不(?:制冷|制热|工作|亮|能用))"
"""What is so at the moment, and not always."""
_SERVICE = r"(?:退|换[货票]|联系|[预订][约定票]|报[名修销]|注[册销]|登[录陆]|修改|重置|找回|取消|申请|办|查|缴|交[费税罚]|付款|充值|提现|开[通户票具]|下单|购?买|领取|兑换|投诉|[绑解][定绑]|激活|续[费签订]|签[到约]|打卡|请假|坐车|乘|租|打?开(?![始心])|关(?![心爱注])|看(?!待))"
"""What is done with an office, a shop or an account of one's own."""
_EXPLAINED = _finds(
    r"^what (?:is|are) (?!(?:the|my|our|your|his|her|their|this|that|these|those|it|there|they|you|good|best|new|on|in|up|for|next|left|open|closed|due|wrong|missing|broken|available|popular|playing|showing|happening|coming|going|airing|streaming|selling)\b)[a-z-]+(?: [a-z-]+){0,2}(?<! at)(?<! on)(?<! for)(?<! to)(?<! in)\??$",
    r"^(?:please )?(?:explain|describe)\b(?!.*\b(?:my|our|your|his|her|their|this|that|these|those|i(?!'m)|\w*\d\w*)\b)(?!.*\bthe (?!concepts?\b|ideas?\b|differences?\b|theor|terms?\b|principles?\b|process|meaning\b|rules? of\b|basics\b|history\b|purpose\b|importance\b|causes?\b|effects?\b|role\b|steps\b|laws? of\b|water\b|sky\b|sea\b|sun\b|moon\b|earth\b|heart\b|brain\b|human\b|internet\b|greenhouse))",
    r"^why (?:is|are|do|does|can'?t|can|don'?t|doesn'?t) (?!.*\b(?:down|up|rising|falling|dropping|growing|delayed|late|slow|offline|crashing|failing|cancel+ed|closed|out|missing|gone|so \w+)\??$)(?!(?:this|that|these|those|it|there|he|she|they|you|i|we)\b)(?!the (?!sky|sea|ocean|sun|moon|earth|stars?|grass|heart|leaves))", r"^how (?:do|does|can|are|is) (?:an? )?(?!(?:the|this|that|it|things|sales|business|he|she|they|you|i|we)\b)[a-z]+(?: [a-z]+){0,4} (?:work|made|formed|produced|grow|fly|form|live|breathe|sleep|see|move|happen|become|becomes?\b.*)\??$",
    r"^(?:请|请你)?(?:解释|说明|讲讲)(?:一?下)?[^，。：:]{1,20}[。？?]?$", rf"^[^，。]{{0,4}}为什么(?!我|他|她|你|这|那|.*了[?？]?$)(?!{_LATELY})", rf"^[^，。我他她你这那]{{1,14}}为什么(?!.*了[?？]?$)(?!{_LATELY})", rf"^(?:怎么|怎样|如何)(?!去|到|走|{_SERVICE})[^我们]{{1,14}}[?？]?$", r"(?:有什么|有何)(?:区别|不同|好处|坏处|作用)[?？]?$",
)


_ADVICE = _finds(
    r"^(?:how (?:can|should|do) i(?! (?:get to|go to|travel to|reach|contact|reset|change my|cancel|return|apply|register|sign (?:up|in)|log ?in|book|order|pay|claim|renew|activate|unsubscribe|submit|access|connect to|report|find|check|track|open|turn|enable|disable|set up|configure|delete)\b)|what should i|what (?:can|could) i do|should i(?! (?:buy|sell|invest|hold|accept|sign)\b)|is it (?:better|a good idea|ok|safe|worth)|(?:can you |please )?(?:give|share) (?:me |us )?(?:some |a few |any )?(?:tips|advice|ideas|suggestions))\b",
    r"(?:怎样才能|怎么才能|如何(?:才能|提高|培养|养成|克服|保持|避免|改善|学习|准备|选择)|要注意(?:什么|哪些)|该怎么(?:办(?!理)|做|安慰|选|说)|有什么(?:建议|技巧|窍门)(?!的))",
)
_SPECIFIC = _finds(
    r"\b(?:the|this|that) (?:server|build|site|website|system|project|contract|document|policy|agreement|e-?mail|message|report|letter|clause|order|meeting|invoice|printer|team|customer|file|database|deployment|shop|office|app|code|folder|photo|picture|image|function|error|bug|log|data|printer|router|wi-?fi|new \w+|name of|title of|route|way to|numbers?|figures?|results?)\b",
    r"\b(?:pending|overdue|active|available|vacant|open|top|total|average|free|unread|unpaid|remaining|recent) \w+|\b(?:users?|customers?|tests?|logins?|log in|e-?mails|revenue|sales|usage|load|disk|room temperature)\b",
    r"\bwhat (?:do|does) (?:it|this|that|he|she|they|these|those)\b|\b(?:spell|say|pronounce) (?:my|our|his|her|their)\b|\bof the day\b",
    r"你们|我们|咱|公司|部门|学校|单位|报错|错误|日志|脚本|流程|制度|规定|套餐|会员|优惠|账号|密码|客服|产品|第[一二三四五六七八九十\d]+[名份页章楼层行]|上面|下面|上述|进度|的结果|说明书|本店|空调|客厅|卧室|^[这那他她它]|^什么意思|[里上]的?.{0,6}什么意思|状态|网站|服务器|系统|项目|构建|部署|程序|打印机|合同|文件|报告|这[个份台家次]|那[个份台家次]|去(?:哪|火车|机场|车站|医院)",
)


_SOURCE = _finds(r"\b(?:from|based on|according to|using|out of|with what(?:'s)?) (?:is|the|my|our|his|her|their|this|that|last|yesterday)\b", r"根据|基于|结合|按照|依据|参照|参考")
"""What the answer is to be made of is not here."""
_SENDING = _finds(
    r"\b(?:and|then|,)\s*(?:then )?(?:send|e-?mail|post|publish|save|store|share|upload|forward|submit|print|read it|put it)\b", r"\b(?:to|in|into|as) (?:a |the |my |our )?(?:file|folder|document|clipboard|channel|calendar)\b",
    r"(?:并|然后|再|，|、)\s*(?:请|帮我)?(?:发[送给到布]?|寄|存|保存|上传|转发|提交|打印|分享)|通知|群发|发出去|发送|抄送|附[上件]|存[成为]|业绩|数据|报表|销[售量]",
    r"\b(?:attach\w*|cc|results|figures|statistics|sales)\b",
)
"""What is written is also to be sent or kept, or is about what stands in records."""


def _general(text: str) -> bool:
    """Whether it names nothing in particular."""
    return not [name for name in names(text) if name.isascii() and name not in _ABOUT]


# ── what can do without ───────────────────────────────────────────────────────

PLAIN: dict[str, Callable[[str], bool]] = {
    "writing": _finds(
        r"^(?:please |can you |could you |help me (?:to )?)*(?:write|compose|draft|make up|invent|tell|give) (?:me |us )?(?:a|an|some|another|one|two|three)\b[\w\s,-]*\b(?:poem|haiku|story|joke|riddle|limerick|song|lyrics|slogan|tagline|greeting|toast|names?|ideas|titles?|letter|note|e-?mail|speech|essay|paragraph|sentence|caption|bedtime story|fairy tale|thank-you|invitation|apology|pep talk|compliment|fable|tongue twister)s?\b",
        r"(?:写|作|编|创作|讲|说|来|想|起草|拟)(?:一?[首个篇段句封则条副份些张]|[几两三][首个篇段句封则条副]).{0,24}(?:诗|绝句|律诗|描写|名字|词|故事|笑话|段子|谜语|歌|文案|标语|口号|广告语|祝福|贺词|信|邮件|演讲|作文|短文|句子|对联|道歉|感谢|请假条|童话|寓言|绕口令|祝酒词|开场白)",
    ),
    "explaining": lambda text: len(text) <= 160 and _EXPLAINED(text) and _general(text),
    "advice": lambda text: _ADVICE(text) and _general(text),
    "code": _finds(
        r"^(?=.*\b(?:how (?:do|does|can|to|would|should)|write|implement|example|snippet|syntax|function|difference|declare|reverse|what does|what(?:'s| is) an?)\b).*\b(?:in|using|with) (?:python|java|javascript|typescript|c\+\+|c#|go|rust|sql|bash|html|css|r|php|ruby|swift|kotlin|excel|regex)\b", r"\b(?:regular expression|for loop|while loop|git (?:command|rebase|merge|commit))\b",
        r"(?:用|在)?(?:Python|Java|JavaScript|C\+\+|Go|Rust|SQL|Excel|正则表达式?)(?:里|中|语言)?(?:怎么|如何|写|实现)",
    ),
    "wording": lambda text: len(text) <= 120 and (_WORDING(text) or _TRANSLATION(text)) and not _DOING(text) and not _AMOUNT(text),
    "definition": _finds(
        r"^(?:please )?(?:explain|describe)(?: to me| briefly| simply| in simple terms)?,? (?:what|why|how|the (?:concept|idea|difference|theory|term|principle)|an? )\b[^?]*$",
        r"^what(?:'s| is| are) (?:an? |meant by )(?!good|best|nice|cheap)[a-z][\w -]{1,40}\?*$", r"^what does (?:the (?:word|term) )?[\w' -]{1,40} mean\b",
        r"^(?:请|请问|能)?(?:解释|说明|介绍)(?:一?下)?(?:什么(?:是|叫)|.{1,12}(?:的(?:概念|原理|含义|区别|定义)))", r"^(?:请问)?什么(?:是|叫做?)[^，。！]{1,16}[?？]?$", r"^[^，。！？?]{1,12}(?:是什么意思|的定义是什么|的原理是什么)[?？]?$",
    ),
}  # fmt: skip
