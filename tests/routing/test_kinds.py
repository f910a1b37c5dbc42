"""Which way a question goes by rules alone: whole kinds, in both languages, and what must not be mistaken for them."""

import pytest

from tao.routing.kinds import Kind, kind, several
from tao.testing import spec

TOOLS = (spec("calculate", expression="string"), spec("search", query="string"), spec("get_order", order_id="string"))

KINDS = {
    ("direct", "small_talk"): (
        "Hi!", "hello there", "Good morning, everyone!", "Thanks so much!", "ok, got it", "See you tomorrow.", "How are you today?", "haha, you are great",
        "你好", "您好啊", "早上好！", "谢谢", "非常感谢", "好的，知道了", "再见", "哈哈哈", "辛苦了，谢谢你",
    ),
    ("direct", "about_itself"): ("Who are you?", "What can you do for me?", "Are you a robot?", "你是谁？", "你会什么？", "你是机器人吗？", "介绍一下你自己"),
    ("direct", "translation"): (
        'Translate "I have 2 dogs and 3 cats" into German.', "Translate into Chinese: See you at 5 pm tomorrow.", 'How do you say "thank you" in Korean?',
        "把“明天见”翻译成法语", "“苹果”用日语怎么说？", "请把下面的话译成英文：订单A10023已经发货。",
    ),
    ("direct", "editing"): (
        'Correct the spelling: "I recieved you\'re letter"', "Summarize: The market fell by 3 percent today and recovered later in the day.",
        "改写这句话：他昨天去了三次医院。", "总结一下：今天的会议讨论了预算、招聘和新办公室。",
    ),
    ("direct", "wording"): ("What is the opposite of generous?", "Use 'gratitude' in a sentence.", "“勤奋”的近义词有哪些？", "用“因为”造一个句子", "列举三个成语"),
    ("direct", "writing"): ("Write a poem about the sea.", "Tell us a joke!", "Write me a short thank-you note for my teacher.", "写一首关于月亮的诗", "讲个笑话", "编一个童话故事"),
    ("direct", "definition"): ("What is an acid?", "What are tectonic plates?", "What does ephemeral mean?", "什么是通货紧缩？", "解释什么是惯性"),
    ("direct", "explaining"): ("Why do leaves turn red in autumn?", "How do magnets work?", "为什么海水是咸的？", "怎么煮米饭？"),
    ("direct", "advice"): ("How can I become a better listener?", "Give me some tips for a long flight.", "如何培养阅读习惯？", "租房要注意什么？"),
    ("direct", "code"): ("How do I sort a list in Python?", "用Python怎么读取字典的键？"),
    ("tools", "calculation"): (
        "What is 12*(7+8)?", "Calculate the sum of 4, 9 and 27.", "What's 20 percent of 350?", "How many minutes are 3 hours?", "25加37等于多少？", "打七折后380元的鞋是多少钱？",
        "5公里是多少英里？",
    ),
    ("tools", "date"): ("What's the date?", "What date is 3 weeks from today?", "How many days until Christmas?", "今天星期几？", "30天以后是几月几号？", "现在几点？"),
    ("tools", "fresh"): ("Is there any news about the election?", "What's the weather in Rome?", "Exchange rate of yen to dollar?", "上海的天气怎么样？", "黄金价格是多少？", "最新的手机是哪款？"),
    ("tools", "private"): ("Show what is in my inbox.", "When is our meeting with the auditors?", "我的订单到哪里了？", "我们公司有多少员工？", "我上次的考试成绩怎么样？"),
    ("tools", "id"): ("Where is A10023?", "Ticket INC-4412: who has it?", "SKU 55120934还有货吗？", "合同HT-2091到期了吗？"),
    ("tools", "action"): ("Please send Bob the minutes.", "Cancel the reservation.", "Can you book a hotel in Bonn?", "Turn off the lights.", "帮我订一张机票", "取消预约", "把空调关掉", "给妈妈发一条消息"),
    ("tools", "address"): ("What does https://example.com/a say?", "Write to ann@example.com", "看一下 data.csv 的内容"),
    ("tools", "uncommon"): ("How tall is the Kestrel Tower?", "When was Orvalle founded?", "青云山的高度是多少米？", "云溪大桥有多长？"),
    ("plan", "several_parts"): (
        "How high are Mount Orsel and Mount Tavik, and which is higher, by how many metres?", "Look up order A10023 and then send its total to Bob.", "查一下白云塔的高度，然后算出它的三倍",
    ),
    ("ask", ""): ("What is the capital of Norway?", "Who invented the telephone?", "Which is the largest planet?", "挪威的首都是哪里？", "电话是谁发明的？", "Who designed the Corvin Bridge?"),
}  # fmt: skip


@pytest.mark.parametrize(("expected", "question"), [(way, question) for way, questions in KINDS.items() for question in questions])
def test_a_question_goes_its_way(expected, question):
    found = kind(question, TOOLS)
    assert found.way == expected[0], found
    if expected[1] in {"", "small_talk", "about_itself", "translation", "editing", "writing"}:  # the others overlap
        assert found.rule == expected[1]


@pytest.mark.parametrize("question", [
    "Thanks! And what is on my calendar?", "Hello, where is order A10023?", "谢谢，那订单A10023呢？", "你好，今天几号？", "Translate my last email into French.", "Summarize https://example.com",
    "Summarize the report in notes.pdf", 'Send "I am late" to Tom.', "把“我晚点到”发给李明", "What is a good restaurant near me?", "Explain why my order is late.", "Write a note: buy milk, and save it to my notes.",
    "为什么我的订单还没发货？", "How do I get to the airport from here now?", "What does our contract say about notice?", "Use get_order for this.", "Why is the server down?", "Why is the build failing?", "How is the project going?", "How are sales?", "为什么网站打不开了？", "这台打印机为什么不工作？",
    "Should I bring a jacket to Oslo?", "What does the contract mean by force majeure?", 'Correct "Jon" to "John" in the customer list.', "Translate into English: contract.pdf", "翻译：https://example.com/a",
    "把客户资料里的“王方”改成“王芳”", "怎么去火车站？", "Why did sales drop?", "Why is he late?",
    # what is so now, or is to be looked at
    "Why are flights delayed?", "Why is inflation rising?", "为什么股市下跌？", "为什么网速这么慢？", "为什么登录不上？", "What is apple trading at?", "what are interest rates", "What is trending?",
    "What is playing?", "What is for lunch?", "What should I wear outside?", "什么是热搜第一？", "what are pending orders", "what is cpu usage", "What are overdue invoices?", "why do tests fail",
    "What is new in python 3.14?", "should I buy tesla",
    # what is near at hand, or was said before
    "Explain the error in build 4512", "Describe the photo I uploaded", "Describe what is in the folder", "Explain what the function parse does in our code", "解释一下上面的结果", "介绍一下张伟",
    "介绍一下你们公司的产品", "What does this mean?", "状态码503是什么意思？", "Spell the name of the customer", "怎么打开客厅的灯？", "define the route to Berlin",
    # what an office or a shop does
    "How do I get to the airport?", "How can I reset my password?", "怎么退货？", "如何联系客服？", "怎么预约？", "如何修改密码？", "该怎么办理签证延期？", "有什么建议的酒店？",
    # written, and then sent; or made of what is not here
    "Write an email to Bob and send it", "写一封邮件给张三并发送", "写封邮件通知大家会议改到三点", "写个故事存成文件", "Write a paragraph about the company results", "Write a tweet based on the latest post",
    "Give me some ideas for lunch from the canteen menu", "写一封邮件，附上报表",
    # no text is given behind the colon
    "Summarize our discussion with Acme: focus on price", "correct my record: the birthday is 3 May", "rewrite the README: make it short", "summarize: the state of the ticket", "“红楼梦”有多少字？翻译成英文",
    # done with a language, not asked about it
    "using sql, list customers", "in excel, sum column A", "Using Python, read the data",
])  # fmt: skip
def test_what_needs_a_tool_is_never_taken_for_talk(question):
    assert kind(question, TOOLS).way != "direct"


@pytest.mark.parametrize("question", [
    "Summarize the following text: The committee met for three hours and discussed the budget.", "Proofread my email: Dear Bob, I are writing to you about the thing we discussed.",
    "Improve the tone of my message: send me the file now", "Explain the theory of relativity to a child", "Explain the water cycle", "Describe photosynthesis", "How do planes fly?", "What are black holes?",
    "How can I sleep better?", "Write an apology email to a customer about a late delivery", "Write a poem and then translate it to French", "Write a regex in python that matches emails",
    "如何关心老人？", "怎么看待失败？", "为什么冬天冷？", "写一封感谢信给客户", "解释一下相对论", "第一次养狗要注意什么？", "SQL里怎么给查询结果分组？",
])  # fmt: skip
def test_what_sounds_like_it_and_needs_none(question):
    assert kind(question, TOOLS).way == "direct"


def test_in_a_conversation_a_plain_question_may_be_about_what_was_said():
    assert kind("What is a quark?", TOOLS).way == "direct"
    assert kind("What is a quark?", TOOLS, follows=True) == Kind("ask")
    assert kind("Thanks!", TOOLS, follows=True).way == "direct"
    assert kind("今天几号？", TOOLS, follows=True).way == "tools"


def test_several_parts():
    assert several("Find the height of A and then convert it to feet.")
    assert several("白石山比青岚山高多少米？")
    assert not several("How high is Mount Orsel?")


@pytest.mark.parametrize("question", ["", " ", "?", "。。。", "\n", "a" * 5000, "？" * 500, "1 " * 3000, "“" * 300, "谢谢" * 800, "my " * 2000, "how many days " * 400])
def test_odd_texts_are_read_without_trouble(question):
    assert kind(question, TOOLS).way in {"direct", "tools", "plan", "ask"}
