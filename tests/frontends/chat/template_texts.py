# SPDX-License-Identifier: Apache-2.0
"""Templates written for the tests: every construct that templates of model files use."""

PLAIN = r'''{% for message in messages %}{{ '<|' ~ message.role ~ '|>' }}
{{ message.content }}
{% endfor %}
{% if add_generation_prompt %}<|assistant|>
{% endif %}'''

TEMPLATES = {
    "text only": "Hello\n  world\n\n",
    "print and for": PLAIN,
    "minus signs": "a  {{- 1 -}}  b  {%- if flag -%}  c  {%- else -%}  d  {%- endif %}  e\n  {#- note -#}  f",
    "plus signs": "x\n  {%+ if true %}\ny{% endif +%}\nz\n    {%+ set a = 1 %}\n{{ a }}",
    "lstrip and trim": "  {% if true %}  \n    {{ 1 }}  \n  {% endif %}  \n  {# c #}\n  end {% if true %}\nq\n{% endif %}\n",
    "crlf lines": "a\r\n{% if true %}\r\nb\r{% endif %}\r\nc\r\n",
    "raw block": "{% raw %}\n {{ not }} {% evaluated %}\n{% endraw %}\nafter {%- raw -%}  {{ x }}  {%- endraw -%}  z",
    "comments": "a{# one\ntwo {{ x }} #}b\n  {# alone #}\nc {#- d -#} e{#+ f +#}\ng",
    "string escapes": r'''{{ 'it\'s \"q\" \\ \n|\t|\x41|\u00e9|\U0001F600|\q|\101' }}{{ "a" 'b' "c" }}''',
    "literals": "{{ 1 }} {{ 1.0 }} {{ 1e3 }} {{ 1.5e-7 }} {{ 123456789012 }} {{ 1_000 }} {{ true }} {{ True }} {{ false }} {{ none }} {{ None }} {{ [] }} {{ () }} {{ (1,) }} {{ {} }} {{ [1, 'a', none, true, 2.50] }} {{ {'a': 1, 2: 'b', 'n': none} }} {{ (1, 'x') }}",
    "printing": "{{ person }} {{ words }} {{ numbers }} {{ text }} {{ flag }} {{ missing }}|{{ person.missing }}|{{ words[99] }}",
    "repr of strings": r'''{{ ["it's", 'say "x"', "both ' and \"", "tab\t nl\n bs\\ é 東 \x01 \u200b \u00a0"] }}{{ messages[-1] }}''',
    "arithmetic": "{{ 7 + 2 * 3 - 1 }} {{ 7 / 2 }} {{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ -2 ** 2 }} {{ 2 ** 3 ** 2 }} {{ 1.5 + 1 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ +3 }} {{ - -3 }} {{ true + 1 }} {{ 10 / 5 }} {{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1e15 }} {{ 1/3 }} {{ 100 * 1.1 }}",
    "sequences with operators": "{{ 'ab' * 3 }} {{ [1] * 2 + [3] }} {{ 'a' + 'b' }} {{ 'n: ' ~ 1 ~ none ~ true ~ 1.0 ~ [1] }} {{ (1,) + (2,) }} {{ 'x' * 0 }}|{{ 2 * 'z' }}",
    "precedence": "{{ 1 ~ 2 * 3 ~ 4 }} {{ 1 < 2 and 2 < 3 or false }} {{ not 1 == 2 }} {{ not true and false }} {{ 1 + 2 == 3 }} {{ 'a' in 'abc' and 'z' not in 'abc' }} {{ 2 * 3 ~ 4 }} {{ 'a' ~ 'b' | upper }} {{ ('a' ~ 'b') | upper }} {{ -1 | abs }} {{ 1 if false else 2 if false else 3 }}",
    "comparisons": "{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' < 'b' }} {{ 1 == 1.0 }} {{ true == 1 }} {{ '1' == 1 }} {{ none == none }} {{ [1, 2] == [1, 2] }} {{ [1] < [1, 2] }} {{ {'a': 1} == {'a': 1.0} }} {{ (1,) == [1] }} {{ 'é' > 'z' }} {{ missing == missing }} {{ missing == none }} {{ 1 != 2 }} {{ 3 >= 3 }} {{ 2 <= 1 }}",
    "in": "{{ 'a' in words }} {{ 'name' in person }} {{ 3 in numbers }} {{ 1 in missing }} {{ 'x' not in person.get('tags', []) }} {{ '' in '' }} {{ 2.0 in [1, 2] }} {{ 'role' in messages[0] }} {{ 'think' in text }}",
    "logic returns operands": "{{ '' or 'dflt' }} {{ 'a' and 'b' }} {{ 0 or none }} {{ [] and 1 }} {{ missing or 'm' }} {{ not [] }} {{ not 'x' }} {{ flag or 'off' }}",
    "truth": "{% for v in [0, 1, '', 'a', [], [0], {}, {'a': 1}, none, true, false, 0.0, 0.1, missing, (), (0,)] %}{{ 'T' if v else 'F' }}{% endfor %}",
    "conditional expressions": "{{ 'yes' if flag else 'no' }}|{{ 'only' if false }}|{{ ('a' if flag) is defined }}|{{ person.name if person.name is defined else 'anon' }}",
    "if elif else": "{% for m in messages %}{% if m.role == 'system' %}S{% elif m.role == 'user' %}U{% elif m.role == 'assistant' and m.tool_calls %}C{% elif m.role == 'assistant' %}A{% else %}?{% endif %}{% endfor %}",
    "nested blocks": "{% for m in messages %}\n    {% if loop.first %}\n        {% if m.role == 'system' %}\nsys: {{ m.content }}\n        {% else %}\nno sys\n        {% endif %}\n    {% endif %}\n{% endfor %}\n",
    "attributes and items": "{{ messages[0].role }} {{ messages[0]['role'] }} {{ messages[-1]['content'] }} {{ messages.0.role }} {{ person['na' ~ 'me'] }} {{ words[0] }} {{ text[0] }} {{ text[-1] }} {{ numbers[1] }} {{ person.tags[0] }}",
    "slices": "{{ words[1:] }} {{ words[:2] }} {{ words[::-1] }} {{ words[1:-1] }} {{ words[::2] }} {{ words[-2:] }} {{ words[5:1:-2] }} {{ text[2:5] }} {{ text[::-1] }} {{ text[:-1] }} {{ text[100:] }}|{{ numbers[-100:100] }} {{ messages[1:] | length }} {{ '日本語テキスト'[1:4] }} {{ 'héllo'[::-2] }}",
    "methods win over keys": "{{ {'items': 1}['items'] }} {{ {'a': 1}.items() | list }} {{ {'items': [1]}.items is defined }} {{ {'a': 1}['keys'] is defined }} {{ {'a': 1}['nokey'] is defined }}",
    "undefined": "[{{ missing }}] {{ missing is defined }} {{ missing is undefined }} {{ missing | default('d') }} {{ missing | length }} {{ missing | list }} {% for x in missing %}x{% endfor %} {{ person.nope is defined }} {{ (none).x is defined }} {{ missing ~ 'z' }} {{ missing | string }} {{ missing | upper }}",
    "loop variables": "{% for m in messages %}{{ loop.index }}/{{ loop.length }} {{ loop.index0 }} {{ loop.revindex }} {{ loop.revindex0 }} {{ loop.first }} {{ loop.last }} {{ loop.depth }} {{ loop.previtem.role if loop.previtem is defined else '-' }} {{ loop.nextitem.role if loop.nextitem is defined else '-' }} {{ loop.cycle('a', 'b') }} {{ loop.changed(m.role) }}\n{% endfor %}",
    "loop filter": "{% for m in messages if m.role != 'system' %}{{ loop.index }}:{{ m.role }}{% if not loop.last %}, {% endif %}{% endfor %}|{% for n in numbers if n is integer and n > 1 %}{{ n }};{% endfor %}",
    "loop else": "{% for x in [] %}x{% else %}none{% endfor %} {% for w in words %}{{ w }},{% else %}empty{% endfor %}",
    "loop over dict and string": "{% for k in person %}{{ k }},{% endfor %} {% for k, v in person.items() %}{{ k }}={{ v }};{% endfor %} {% for c in text %}{{ c }}.{% endfor %} {% for (a, b) in [(1, 2), [3, 4]] %}{{ a }}-{{ b }} {% endfor %}{% for a, (b, c) in [(1, (2, 3))] %}{{ a + b + c }}{% endfor %}",
    "break and continue": "{% for m in messages %}{% if m.role == 'assistant' %}{% continue %}{% endif %}{{ m.role }} {% if loop.index > 3 %}{% break %}{% endif %}{% endfor %}|{% for a in [1, 2, 3] %}{% for b in [1, 2, 3] %}{% if b == 2 %}{% break %}{% endif %}{{ a }}{{ b }} {% endfor %}{% endfor %}",
    "scopes": "{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = x + i %}{{ x }} {% endfor %}{{ x }} {% if true %}{% set x = 9 %}{% endif %}{{ x }} {% for x in [5] %}{{ x }}{% endfor %}{{ x }}{% with x = 7, y = 8 %}{{ x }}{{ y }}{% set x = 0 %}{% endwith %}{{ x }}{{ y is defined }}",
    "namespace": "{% set ns = namespace(found=false, n=0, items=[]) %}{% for m in messages %}{% if m.role == 'user' %}{% set ns.found = true %}{% set ns.n = ns.n + 1 %}{% set ns.items = ns.items + [loop.index0] %}{% endif %}{% endfor %}{{ ns.found }} {{ ns.n }} {{ ns.items }} {{ ns.nope is defined }}",
    "set forms": "{% set a, b = 1, 2 %}{{ a }}{{ b }} {% set t = 1, 2 %}{{ t }} {% set block %}  {{ a }} and {{ b }}\n{% endset %}[{{ block }}] {% set up | upper | trim %} abc {{ text }} {% endset %}{{ up }} {% set (c, d) = [3, 4] %}{{ c + d }}",
    "macros": "{% macro turn(role, content='', end='|') %}<{{ role }}>{{ content }}{{ end }}{% endmacro %}{{ turn('user', 'hi') }}{{ turn('a', end='!') }}{{ turn(content='c', role='r') }}{% for m in messages %}{{ turn(m.role, m.content) }}{% endfor %}",
    "macro scopes": "{% set g = 'G' %}{% macro m(x) %}{{ g }}{{ x }}{% set g = 'L' %}{{ g }}{% endmacro %}{{ m(1) }}{{ g }}{% set g = 'H' %}{{ m(2) }}{% macro fact(n) %}{{ 1 if n < 2 else n * (fact(n - 1) | int) }}{% endmacro %}{{ fact(6) }}{% macro args(a, b) %}{{ b is defined }}{% endmacro %}{{ args(1) }}",
    "recursive macro": "{% macro dump(v, pad='') %}{% if v is mapping %}{% for k, x in v | dictsort %}\n{{ pad }}{{ k }}:{{ dump(x, pad ~ '  ') }}{% endfor %}{% elif v is iterable and v is not string %}{% for x in v %}\n{{ pad }}-{{ dump(x, pad ~ '  ') }}{% endfor %}{% else %} {{ v }}{% endif %}{% endmacro %}{{ dump(person) }}{{ dump(tools) }}",
    "call blocks": "{% macro wrap(tag) %}<{{ tag }}>{{ caller() }}</{{ tag }}>{% endmacro %}{% call wrap('b') %}{{ person.name }}{% endcall %}{% macro each(xs) %}{% for x in xs %}{{ caller(x, loop.index) }}{% endfor %}{% endmacro %}{% call(x, i) each(words) %}{{ i }}={{ x }};{% endcall %}",
    "filter blocks": "{% filter upper %}shout {{ text }}{% endfilter %}|{% filter trim | replace('a', 'b') %}  banana  {% endfilter %}",
    "generation blocks": "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}\n{{ m.content }}{% endgeneration %}{% else %}{{ m.role }}{% endif %}\n{% endfor %}",
    "tojson": "{{ person | tojson }} {{ words | tojson }} {{ numbers | tojson }} {{ text | tojson }} {{ none | tojson }} {{ (1, 'a') | tojson }} {{ {'b': 1, 'a': {'d': [], 'c': {}}} | tojson(sort_keys=true) }} {{ tools | tojson }} {{ messages[-1] | tojson }} {{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }} {{ '<&>\\'/' | tojson }}",
    "tojson forms": "{{ person | tojson(indent=2) }}\n{{ tools | tojson(indent=4) }}\n{{ person | tojson(separators=(',', ':')) }}\n{{ words | tojson(ensure_ascii=true) }}\n{{ person | tojson(true, 1) }}\n{{ [] | tojson(indent=2) }}{{ {} | tojson(indent=2) }}\n{{ words | tojson(indent='--') }}\n{{ '🙂é\\x7f' | tojson(ensure_ascii=true) }}\n{{ [[1], {'a': []}] | tojson(indent=0, separators=(';', '=')) }}",
    "length and default": "{{ messages | length }} {{ text | length }} {{ person | count }} {{ '日本' | length }} {{ missing | default('x') }} {{ none | default('x') }} {{ none | default('x', true) }} {{ '' | d('y', boolean=true) }} {{ flag | default(false, true) }} {{ missing | default }}|{{ tools | default([], true) | length }}",
    "case filters": "{{ text | upper }} {{ text | lower }} {{ text | capitalize }} {{ text | title }} {{ 'hELLO wORLD-foo (bar) x_y' | title }} {{ 'ÀÉ ß ﬁ' | upper }} {{ 'ΣΑΣ' | lower }} {{ text.title() }} {{ \"they're bill's\".title() }} {{ 'aBC dEF'.capitalize() }} {{ 5 | upper }}",
    "trim and strip": "[{{ '  a b \\n' | trim }}] [{{ 'xxaxx' | trim('x') }}] [{{ '  a '.strip() }}] [{{ '  a '.lstrip() }}] [{{ ' a  '.rstrip() }}] [{{ '\\n\\nq\\n'.strip('\\n') }}] [{{ 'abcba'.strip('ab') }}] [{{ text.strip('aeiou') }}] [{{ 'éaé'.strip('é') }}] [{{ '\\u00a0x\\u3000' | trim }}] {{ messages[0].role | trim }}",
    "split": "{{ text.split() }} {{ text.split(',') }} {{ text.split('</think>') }} {{ text.split('</think>')[-1] }} {{ text.split(' ', 1) }} {{ 'a  b'.split(' ') }} {{ ''.split() }} {{ ''.split(',') }} {{ ' a b  c '.split(none, 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'k=v=w'.partition('=') }} {{ 'k=v=w'.rpartition('=') }} {{ 'x'.partition('=') }} {{ 'x'.rpartition('=') }} {{ 'a\\nb\\r\\nc\\n'.splitlines() }}",
    "string tests by methods": "{{ text.startswith('one') }} {{ text.endswith('more') }} {{ text.startswith(('a', 'S')) }} {{ 'abc'.find('c') }} {{ 'abc'.find('z') }} {{ '日本日'.rfind('日') }} {{ 'banana'.count('an') }} {{ 'aXb'.replace('X', '-') }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'abc'.replace('', '.') }} {{ '12'.isdigit() }} {{ 'ab1'.isalpha() }} {{ 'ab1'.isalnum() }} {{ ' '.isspace() }} {{ 'AB1'.isupper() }} {{ 'ab'.islower() }} {{ 'prefix-x'.removeprefix('prefix-') }} {{ 'x.txt'.removesuffix('.txt') }} {{ ', '.join(['a', 'b']) }} {{ 'abc'.index('b') }}",
    "replace and indent": "{{ text | replace('e', 'E') }} {{ text | replace('o', '0', 1) }} {{ 5 | replace(5, 6) }}\n{{ messages[1].content | default('-', true) | string | indent }}\n{{ 'a\\n\\nb\\n' | indent(2, true) }}|{{ 'a\\n\\nb' | indent(width=3, blank=true) }}|{{ 'a\\nb' | indent('> ', first=true) }}|{{ '' | indent }}|{{ 'x\\n' | indent }}|",
    "join and list": "{{ words | join }} {{ words | join(', ') }} {{ numbers | join('-') }} {{ messages | join('/', attribute='role') }} {{ text | list }} {{ person | list }} {{ 'abc' | join('.') }} {{ range(3) | list }} {{ (1, 2) | list }} {{ [none, true, 1.0] | join(' ') }}",
    "items and dictsort": "{% for k, v in person | items %}{{ k }}:{{ v }} {% endfor %}{% for k, v in missing | items %}x{% endfor %}{{ person | dictsort }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort(true) }} {{ {'b': 1, 'A': 2, 'c': 0} | dictsort(by='value') }} {{ {'b': 1, 'A': 2} | dictsort(reverse=true) }} {{ person.keys() | list }} {{ person.values() | list }} {{ person.items() | list | length }} {{ {'a': 1}.items() }} {{ {'a': 1}.keys() }} {{ {'a': [1]}.values() }}",
    "selectattr": "{{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | selectattr('role', '==', 'user') | map(attribute='content') | list }} {{ messages | rejectattr('role', 'in', ['user', 'system']) | map(attribute='role') | join(',') }} {{ messages | selectattr('tool_calls') | list | length }} {{ messages | selectattr('tool_calls', 'defined') | list | length }} {{ messages | rejectattr('content') | list | length }} {{ messages | selectattr('content', 'string') | map(attribute='content') | map('length') | list }} {{ 'G' if messages | selectattr('role', 'eq', 'zzz') else 'E' }} {{ (messages | selectattr('role', 'eq', 'zzz') | list) or 'none' }}",
    "map select reject": "{{ words | map('upper') | list }} {{ words | map('replace', 'a', '4') | join(' ') }} {{ numbers | select('number') | list }} {{ numbers | reject('gt', 1) | list if numbers else [] }} {{ words | select | list }} {{ words | reject('equalto', 'a') | list }} {{ [{'a': {'b': 1}}, {'a': {}}] | map(attribute='a.b') | list | length }} {{ [{'a': 1}, {}] | map(attribute='a', default='none') | list }} {{ [[1, 2], [3]] | map('first') | list }} {{ [[1, 2], [3]] | map(attribute='0') | list }} {{ ['1', 'x'] | map('int', 9) | list }}",
    "sort unique min max": "{{ words | sort }} {{ words | sort(case_sensitive=true) }} {{ words | sort(reverse=true) }} {{ numbers | sort }} {{ words | unique | list }} {{ words | unique(case_sensitive=true) | list }} {{ numbers | unique | list }} {{ words | min }} {{ words | max }} {{ numbers | min }} {{ numbers | max }} {{ messages | sort(attribute='role') | map(attribute='role') | join(',') }} {{ messages | unique(attribute='role') | map(attribute='role') | list }} {{ [] | min is defined }} {{ ['b', 'A'] | max(case_sensitive=true) }} {{ [3, 1] | sort | first }} {{ [{'k': 2}, {'k': 1}] | min(attribute='k') }}",
    "numbers": "{{ '42' | int }} {{ ' 42.9 ' | int }} {{ 'x' | int }} {{ 'x' | int(7) }} {{ 3.99 | int }} {{ -3.99 | int }} {{ true | int }} {{ none | int }} {{ '1.5' | float }} {{ 'q' | float(0.5) }} {{ 3 | float }} {{ -5 | abs }} {{ -5.5 | abs }} {{ 2.5 | round }} {{ 3.14159 | round(2) }} {{ 7 | round }} {{ 2.1 | round(method='ceil') }} {{ 2.19 | round(1, 'floor') }} {{ numbers | sum if numbers | select('string') | list | length == 0 }} {{ [{'n': 1}, {'n': 2}] | sum(attribute='n') }} {{ [1, 2] | sum(start=10) }} {{ '1e2' | int }}",
    "first last reverse": "{{ words | first is defined }} {{ messages | first | tojson }} {{ (messages | last).role }} {{ words | reverse | list }} {{ text | reverse }} {{ [] | first is defined }} {{ 'abc' | first }} {{ 'abc' | last }} {{ {'a': 1, 'b': 2} | first }}",
    "string safe escape": "{{ 1 | string }} {{ none | string }} {{ person | string }} {{ '<b>' | safe }} {{ person.name | escape }} {{ '<&\"\\'>' | e }} {{ [1] | string | length }}",
    "from_json": "{{ ('{\"a\": [1, 2.50, null, true, \"é\"]}' | from_json).a }} {{ '[]' | from_json | length }} {% for m in messages %}{% for c in m.tool_calls or [] %}{% if c.function.arguments is string %}{{ (c.function.arguments | from_json).a }}{% else %}{{ c.function.arguments | tojson }}{% endif %}{% endfor %}{% endfor %}",
    "type tests": "{% for v in [1, 1.5, 'a', [1], (1,), {'a': 1}, none, true, false, missing] %}{{ v is defined }} {{ v is string }} {{ v is number }} {{ v is integer }} {{ v is float }} {{ v is boolean }} {{ v is true }} {{ v is false }} {{ v is none }} {{ v is mapping }} {{ v is sequence }} {{ v is iterable }} {{ v is callable }}\n{% endfor %}{{ range is callable }} {{ range(2) is sequence }} {{ {}.items() is iterable }}",
    "value tests": "{{ 3 is odd }} {{ 4 is even }} {{ 9 is divisibleby 3 }} {{ 9 is divisibleby(4) }} {{ 1 is eq 1 }} {{ 1 is ne 2 }} {{ 2 is gt 1 }} {{ 2 is ge 2 }} {{ 1 is lt 2 }} {{ 1 is le 0 }} {{ 'a' is in 'abc' }} {{ 1 is in [2] }} {{ 'abc' is lower }} {{ 'ABC' is upper }} {{ none is sameas none }} {{ true is sameas true }} {{ 1 is sameas true }} {{ 5 is not odd }} {{ x is not defined }} {{ 2 is greaterthan 1 }} {{ 'b' is equalto 'b' }} {{ not 1 is odd }}",
    "dict methods": "{{ person.get('name') }} {{ person.get('nope') }} {{ person.get('nope', 'dflt') }} {{ person.get('age', 5) }} {{ person.keys() | join(',') }} {{ person.values() | list | length }} {% for k, v in person.items() %}{{ loop.index }}{{ k }}{% endfor %} {{ messages[0].get('tool_calls') }} {{ dict(a=1, b=2) }} {{ dict({'x': 1}, y=2) }} {{ [1, 2, 1].count(1) }} {{ [1, 2].index(2) }} {{ (1, 2).index(2) }}",
    "ranges": "{{ range(4) | list }} {{ range(1, 4) | list }} {{ range(10, 0, -3) | list }} {% for i in range(messages | length) %}{{ messages[i].role }}{{ '' if loop.last else '>' }}{% endfor %} {{ range(3)[1] }} {{ range(0) | list }} {{ range(5) | length }} {{ 2 in range(3) }} {{ range(5)[1:3] | list }}",
    "formatting": "{{ '%s is %d' % ('x', 3) }} {{ '%s' % 'one' }} {{ '%5s|%-5s|%05d|%.2f|%r|%%' | format('a', 'b', 42, 3.14159, 'q') }} {{ '{} {}'.format('a', 1) }} {{ '{1} {0} {name}'.format('a', 'b', name='n') }} {{ '{{}} {!r}'.format('q') }} {{ '%+d %i' % (5, -6) }} {{ '%.3s' % 'abcdef' }} {{ '%s' % none }} {{ '%s %s' % (person.name, [1]) }}",
    "date": "{{ strftime_now('%d %b %Y') }} {{ strftime_now('%Y-%m-%d %H:%M:%S') }} {{ strftime_now('x') }} {{ strftime_now('%A %j %%') }}",
    "raise": "{% if messages[0].role != 'system' %}{{ raise_exception('Conversation must start with system, not ' ~ messages[0].role) }}{% endif %}ok",
    "alternation check": "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}[{{ m.role }}]{% endfor %}",
    "hidden variables": "{% if tools is not none and tools %}{{ tools | length }}{% else %}no tools{% endif %} {{ documents is defined }} {{ documents is none }} {{ add_generation_prompt }} {{ bos_token }} {{ eos_token is defined }} {{ enable_thinking is defined and enable_thinking is false }}",
    "content parts": "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% elif m.content is iterable and m.content is not none %}{% for p in m.content %}{% if p.type == 'text' %}{{ p['text'] }}{% elif p.type == 'image' %}<image>{% endif %}{% endfor %}{% elif m.content is none %}(none){% endif %}\n{% endfor %}",
    "hermes like": r'''{%- if tools %}
{{- '<|im_start|>system\nTools:\n' }}
{%- for tool in tools %}
    {{- tool | tojson }}{{ '\n' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- endif %}
{%- for m in messages %}
    {%- set content = m.content if m.content is string else '' %}
    {%- if m.role == 'assistant' %}
        {%- if '</think>' in content %}
            {%- set content = content.split('</think>')[-1].lstrip('\n') %}
        {%- endif %}
        {{- '<|im_start|>assistant\n' + content }}
        {%- for c in m.tool_calls or [] %}
            {{- '\n<tool_call>\n{"name": "' ~ c.function.name ~ '", "arguments": ' }}
            {{- c.function.arguments if c.function.arguments is string else c.function.arguments | tojson }}
            {{- '}\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\n' }}
    {%- elif m.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{ '<|im_start|>user' }}{% endif %}
        {{- '\n<tool_response>\n' ~ content ~ '\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{ '<|im_end|>\n' }}{% endif %}
    {%- else %}
        {{- '<|im_start|>' ~ m.role ~ '\n' ~ content ~ '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}
{%- endif %}''',
    "instruct like": r'''{{- bos_token }}
{%- set ns = namespace(sys='') %}
{%- for m in messages if m.role == 'system' %}{% set ns.sys = m.content %}{% endfor %}
{%- for m in messages %}
  {%- if m.role == 'user' %}
    {{- ' [INST] ' + ((ns.sys + '\n\n') if loop.last and ns.sys else '') + (m.content if m.content is string else m.content | tojson) + ' [/INST]' }}
  {%- elif m.role == 'assistant' %}
    {{- ' ' + (m.content or '') | trim + (eos_token or '') }}
  {%- endif %}
{%- endfor %}''',
    "header like": r'''{%- macro head(role) -%}<|start_header_id|>{{ role }}<|end_header_id|>

{% endmacro -%}
{{- bos_token if bos_token is defined }}
{%- for message in messages -%}
{{ head(message['role']) }}
{%- if message.content is mapping or message.content is iterable and message.content is not string -%}
{{ message.content | tojson }}
{%- else -%}
{{ message['content'] | default('', true) | trim }}
{%- endif -%}<|eot_id|>
{%- endfor -%}
{%- if add_generation_prompt %}{{ head('assistant') }}{% endif %}''',
    "xml tools": r'''{%- macro param(name, spec) %}
<parameter>
<name>{{ name }}</name>
{%- if spec.type is defined %}
<type>{{ spec.type | string }}</type>
{%- endif %}
{%- for key, value in spec.items() if key not in ['type', 'name'] %}
<{{ key }}>{{ value | tojson if value is mapping or (value is sequence and value is not string) else value | string }}</{{ key }}>
{%- endfor %}
</parameter>
{%- endmacro %}
{%- for tool in tools or [] %}
{%- if tool.function is defined %}{% set tool = tool.function %}{% endif %}
<function>
<name>{{ tool.name }}</name>
<description>{{ tool.description | trim }}</description>
{%- for name, spec in tool.parameters.properties | items %}
{{- param(name, spec) }}
{%- endfor %}
</function>
{%- endfor %}''',
    "reversed search": r'''{%- set ns = namespace(last=-1) %}
{%- for m in messages[::-1] %}
  {%- set i = messages | length - 1 - loop.index0 %}
  {%- if ns.last < 0 and m.role == 'user' %}{% set ns.last = i %}{% endif %}
{%- endfor %}
{{- ns.last }}:{{ messages[ns.last].content }}''',
    "unknown attribute fails": "{{ messages[0].nope.deeper }}",
    "undefined call fails": "{{ nothing(1) }}",
    "string plus number fails": "{{ 'a' + 1 }}",
    "iterate none fails": "{% for x in none %}{% endfor %}",
    "length of generator fails": "{{ messages | map(attribute='role') | length }}",
    "division by zero fails": "{{ 1 / (messages | length - messages | length) }}",
    "tojson undefined fails": "{{ missing | tojson }}",
    "unpack fails": "{% for a, b in [[1, 2, 3]] %}{{ a }}{% endfor %}",
    "unicode names and text": "{% set größe = 3 %}{{ größe }} ✓ {{ 'ключ' }} {{ {'ключ': 'значение'}['ключ'] }} {{ '🙂🙃'[1] }} {{ '🙂' | length }}",
    "deep nesting": "{{ ((((((((((1 + 1))))))))))}} {{ [[[[[[1]]]]]] }} {{ {'a': {'b': {'c': {'d': 1}}}}.a.b.c.d }} {% if 1 %}{% if 1 %}{% if 1 %}{% for a in [1] %}{% for b in [2] %}{% with c = 3 %}{{ a + b + c }}{% endwith %}{% endfor %}{% endfor %}{% endif %}{% endif %}{% endif %}",
    "braces in tags": "{{ {'a': {'b': 1}} }}{{ '}}' }}{% set x = {'k': '%}'} %}{{ x.k }} {{ '{{' }}{{ '{%' }} { { } } %} }} #}",
    "whitespace inside tags": "{{1+1}}{{  'x'\n|\nupper  }}{%if true%}y{%endif%}{%-  set\n a=1  -%}{{a}}",
}

# Hugging Face's sandbox refuses methods that change a list or dict; other programs allow them.
MUTABLE = {"append and pop"}
TEMPLATES["append and pop"] = (
    "{% set xs = [] %}{% for m in messages %}{% set _ = xs.append(m.role) %}{% endfor %}{{ xs }} {{ xs.pop() }} "
    "{{ xs.pop(0) if xs }} {{ xs }} {% set d = {'a': 1, 'b': 2} %}{{ d.pop('a') }} {{ d }} {{ d.pop('z', 'dflt') }}")
