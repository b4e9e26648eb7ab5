// SPDX-License-Identifier: Apache-2.0
// Texts whose meaning another implementation decides: make_fixtures.mjs.

export const CASES = [
  "plain",
  "two\nlines",
  "two  \nlines",
  "two\\\nlines",
  "one\n\ntwo\n\n\nthree",
  "# one\n## two\n###### six\n####### seven",
  "# closed #\n#no space\n# \n#",
  "Title\n=====\n\nSub\n---\ntext",
  "---\n\n***\n\n___\n\n- - -",
  "a **bold** b *em* c ***both*** d",
  "__bold__ _em_ snake_case_name and __init__",
  "**bold with *em* inside** and *em with **bold** inside*",
  "**open *mixed** up*",
  "2 * 3 * 4 and a*b*c and a_b_c",
  "~~gone~~ and ~kept~",
  "`code` and ``two ` ticks`` and `` ` `` and `not closed",
  "`**not bold**` and **`code in bold`**",
  "`multi\nline code`",
  "\\*not em\\* \\# \\` \\{x\\}",
  "&amp; &lt;b&gt; &quot;q&quot; &#65; &#x42; &notanentity; &copy;",
  '[link](https://example.com) [title](https://example.com "t") [angle](<https://example.com/a b>)',
  "[**bold** label](https://example.com/x_(y)) and [a [nested] b](https://example.com)",
  "[not a link] (x) and [ref][x] and [unclosed](x",
  '![alt text](https://example.com/i.png) and ![**b**](https://example.com/j.png "t")',
  "<https://example.com/auto> <someone@example.com> <b>html</b> <notascheme>",
  "- one\n- two\n- three",
  "* one\n* two\n\n+ other list",
  "1. one\n2. two\n3. three",
  "7) seven\n8) eight",
  "- one\n  - nested\n    - deeper\n- two",
  "1. one\n   - nested\n   - again\n2. two",
  "1. one\n\n   second paragraph\n\n2. two",
  "- one\n\n- two\n\ntext after",
  "- one\ncontinued lazily\n- two",
  "- `code`\n- **bold**\n-\n- after empty",
  "text\n- item right after\n\ntext\n1. one",
  "text\n2. not a list",
  "- item\n\n  ```js\n  let a = 1;\n  ```\n- next",
  "> quote\n> more\n\nafter",
  "> quote\nlazy\n\n> other",
  "> - list in quote\n> - more\n>\n> paragraph",
  "> > nested\n> back",
  "> ```\n> code\n> ```",
  "- > quote in item\n- b",
  "```\ncode\n```",
  "```python\ndef f():\n    return 1\n```\nafter",
  "~~~\n```\n~~~",
  "````\n```\n````",
  "```\nnot closed\n\nto the end",
  "text\n```\ncode\n```",
  "   ```\n   indented\n  less\n   ```",
  "```\n\n\nblank lines\n\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
  "a | b\n--|--\n1 | 2",
  "| left | center | right |\n|:--|:-:|--:|\n| `x` | **y** | z |\n\nafter",
  "| a | b |\n|---|---|\n| only one |\n| 1 | 2 | 3 |",
  "| a \\| b | c |\n|---|---|\n| d | e \\| f |",
  "not a table | here\njust text",
  "text\n\n| a |\n|---|\n| 1 |",
  "## Heading\ntext right after\n## Another",
  "***bold em** em*",
  "*a **b c***",
  "**a*b*c**",
  "*(*a*)* and **(**b**)**",
  '"**quoted**" and (*x*), and **x**.',
  "**\u4e2d\u6587**\u3002 *\u00e9t\u00e9* \u{1f600} **\u{1f600}**",
  "a\u00a0*b*\u00a0c",
  '<script>alert(1)</script>\n\n<div onclick="x">y</div>',
  "1. a\n1. b\n1. c",
  "- [link](https://example.com)\n- ![i](https://example.com/i.png)",
  "line one\n    indented continuation\nline three",
];

// Runs of delimiters between letters, spaces and punctuation, the same on every machine.
export function randomInline(count) {
  const parts = ["*", "**", "***", "_", "__", "a", "b", " ", ".", "(", ")", "`", "x", "~~", "\u00e9"];
  let seed = 7;
  const next = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const texts = [];
  while (texts.length < count) {
    let text = "w";
    const length = 3 + next(14);
    for (let i = 0; i < length; ++i) text += parts[next(parts.length)];
    if (!/~~~/.test(text)) texts.push(`${text}w`);
  }
  return texts;
}
