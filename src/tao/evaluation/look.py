"""The frame of the report: its style, and the two buttons. Everything is in the file; nothing is fetched."""

PAGE = """<!doctype html>
<html lang="<!--lang-->">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><!--title--></title>
<style>
:root { color-scheme: light dark; --ink:#1d2430; --dim:#667085; --paper:#f6f7f9; --card:#fff; --rule:#e3e6eb; --right:#12806a;
  --wrong:#d9622b; --unsure:#c79a1b; --soft:#eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ee; --dim:#98a2b3; --paper:#12151a; --card:#1a1e25; --rule:#2c323c;
  --right:#35b597; --wrong:#f0855a; --unsure:#e0b94a; --soft:#222730; } }
* { box-sizing:border-box; }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.55 system-ui,"Segoe UI","PingFang SC","Hiragino Sans GB","Noto Sans CJK SC","Microsoft YaHei",sans-serif; }
main { max-width:1100px; margin:0 auto; padding:2rem 1.25rem 4rem; }
html[lang=en] .zh, html[lang=zh-CN] .en { display:none; }
header { display:flex; justify-content:space-between; align-items:flex-start; gap:1rem; }
h1 { font-size:1.7rem; line-height:1.2; margin:0; overflow-wrap:anywhere; }
h2 { font-size:1.1rem; margin:2.2rem 0 .8rem; }
p { margin:.25rem 0; } .sub { font-size:1.05rem; } .dim { color:var(--dim); font-size:.87rem; }
button { font:inherit; font-size:.85rem; padding:.3rem .8rem; border:1px solid var(--rule); border-radius:99px; background:var(--card); color:var(--ink); cursor:pointer; }
button[aria-pressed=true] { background:var(--ink); color:var(--paper); }
.tiles { display:grid; grid-template-columns:repeat(auto-fit,minmax(118px,1fr)); gap:.8rem; margin-top:1.4rem; }
.tile, figure, .scroll, details.task { background:var(--card); border:1px solid var(--rule); border-radius:12px; }
.tile { padding:.8rem 1rem; display:flex; flex-direction:column; }
.tile b { font-size:1.45rem; line-height:1.2; font-variant-numeric:tabular-nums; } .tile span { line-height:1.3; font-size:.92rem; } .tile small { color:var(--dim); }
.tile.main { grid-column:span 2; } .tile.main b { font-size:2.6rem; color:var(--right); }
.plots { display:grid; grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr)); gap:.8rem; }
figure { margin:0; padding:1rem 1.1rem .6rem; } figcaption { font-weight:600; margin-bottom:.5rem; }
svg { width:100%; height:auto; display:block; } svg text { fill:var(--ink); font-size:12.5px; } svg text.dim { fill:var(--dim); font-size:11.5px; }
svg text.value { font-variant-numeric:tabular-nums; font-size:12px; fill:var(--dim); }
.grid { stroke:var(--rule); stroke-width:1; } .whisker { stroke:var(--right); stroke-width:3; stroke-opacity:.4; stroke-linecap:round; } .dot { fill:var(--right); }
rect.right, rect.helped { fill:var(--right); } rect.wrong, rect.harmed { fill:var(--wrong); } rect.nothing { fill:var(--dim); fill-opacity:.45; } rect.unknown { fill:var(--unsure); }
.legend { font-size:.84rem; color:var(--dim); grid-column:1/-1; margin:0; } .key:first-child { margin-left:0; }
.key { display:inline-block; width:.75em; height:.75em; border-radius:3px; margin:0 .35em 0 .6em; vertical-align:-.05em; }
.key.right, .key.helped { background:var(--right); } .key.wrong, .key.harmed { background:var(--wrong); } .key.nothing { background:var(--dim); opacity:.45; } .key.unknown { background:var(--unsure); }
.scroll { overflow-x:auto; } table { border-collapse:collapse; width:100%; font-size:.88rem; font-variant-numeric:tabular-nums; }
td:first-child { white-space:normal; overflow-wrap:anywhere; min-width:7em; max-width:22em; }
th, td { padding:.5rem .6rem; text-align:right; white-space:nowrap; border-bottom:1px solid var(--rule); }
th { color:var(--dim); font-weight:500; white-space:normal; vertical-align:bottom; min-width:3.4em; line-height:1.3; } th:first-child, td:first-child { text-align:left; }
tr.sum td { font-weight:600; border-bottom:0; }
.bar { display:flex; gap:.5rem; align-items:center; }
details.task { margin:.4rem 0; padding:0 1rem; } details.task > summary { cursor:pointer; padding:.55rem 0; display:flex; gap:.7rem; align-items:baseline; list-style:none; }
summary::-webkit-details-marker { display:none; } summary .q { flex:1; overflow:hidden; text-overflow:ellipsis; white-space:nowrap; }
summary i { width:.6em; height:.6em; border-radius:50%; flex:none; } .good > summary i { background:var(--right); } .bad > summary i { background:var(--wrong); } .some > summary i { background:var(--unsure); }
body.wrong details.good { display:none; }
section { border-top:1px solid var(--rule); padding:.7rem 0 1rem; } dl { display:grid; grid-template-columns:max-content 1fr; gap:.15rem .9rem; margin:.4rem 0; }
dt { color:var(--dim); } dd { margin:0; white-space:pre-wrap; overflow-wrap:anywhere; }
ol { list-style:none; margin:.6rem 0 0; padding:0; display:grid; gap:.35rem; } li { padding:.45rem .8rem; border-left:3px solid var(--right); background:var(--soft); border-radius:0 8px 8px 0; overflow-wrap:anywhere; }
li.seen { border-color:var(--dim); } li.nudge { border-color:var(--unsure); } li.failed { border-color:var(--wrong); } .thought { color:var(--dim); white-space:pre-wrap; } .answer { font-weight:600; white-space:pre-wrap; }
pre { margin:0; white-space:pre-wrap; overflow-wrap:anywhere; } code, pre { font:.86em/1.5 ui-monospace,"SF Mono",Menlo,Consolas,"Noto Sans Mono CJK SC",monospace; }
@media print { button { display:none; } body { background:#fff; } }
</style>
</head>
<body>
<main>
<header><div><!--head--></div><div class="bar"><button id="language"><span class="en">中文</span><span class="zh">English</span></button></div></header>
<div class="tiles"><!--figures--></div>
<h2><span class="en">At a glance</span><span class="zh">概览</span></h2>
<div class="plots"><!--plots--></div>
<h2><span class="en">By kind</span><span class="zh">分类统计</span></h2>
<div class="scroll"><!--table--></div>
<h2 class="bar"><span class="en">Tasks</span><span class="zh">任务</span>
<button id="only" aria-pressed="false"><span class="en">only what went wrong (<!--wrong-->)</span><span class="zh">只看未全对的（<!--wrong-->）</span></button></h2>
<!--tasks-->
</main>
<script>
document.getElementById("language").onclick = () => { const root = document.documentElement; root.lang = root.lang === "en" ? "zh-CN" : "en"; };
document.getElementById("only").onclick = event => { const on = document.body.classList.toggle("wrong"); event.currentTarget.setAttribute("aria-pressed", on); };
</script>
</body>
</html>
"""
