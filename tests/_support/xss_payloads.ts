/** Destinations of links and images that must not become URLs. */
const DESTINATIONS = String.raw`
  javascript:alert(1) JaVaScRiPt:alert(1) javascript://https://a.example/%0Aalert(1) javascript&colon;alert(1) javascript&Tab;&colon;alert(1) java&NewLine;script:alert(1) vbscript&colon;x data&colon;text/html,x
  javascript&#0000058;alert(1) javascript\:alert(1) javascript%3Aalert(1) &#106;avascript:alert(1)
  java&#9;script:alert(1) java&#0;script:alert(1) java&Tab;script:alert(1) java&shy;script:alert(1)
  &#1;javascript:alert(1) &nbsp;javascript:alert(1) %01javascript:alert(1) ｊavascript:alert(1)
  javascript：alert(1) feed:javascript:alert(1) vbscript:alert(1) data:text/html,<script>alert(1)</script>
  d&#97;ta:text/html,alert(1) blob:https://a.example/1 file:///etc/passwd about:blank tel:1 //a.example/
  \\\\a.example/ /\\a.example/ https:a.example https:\\\\a.example https://
  mailto: ?a=b #javascript:alert(1) .`.trim().split(/\s+/).concat(
  ...["java\u0000script:alert(1)", "java\u200bscript:alert(1)", "\u0001javascript:alert(1)"],
  ...["\u00a0javascript:alert(1)", "\u202ejavascript:alert(1)"],
);

/** Markdown that tries to break out of text, attributes and elements: one in a line. */
export const BREAKOUTS: readonly string[] = String.raw`
<script>alert(1)</script>
<img/src=x/onerror=alert(1)//
<math><a xlink:href=javascript:alert(1)>x</a></math>
<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'></iframe>
<!-- --><script>alert(1)</script><!-- -->
<![CDATA[<script>alert(1)</script>]]>
</p></div></section><script>alert(1)</script>
<plaintext><xmp><noscript><textarea><title>
&lt;script&gt;alert(1)&lt;/script&gt;
\<script\>alert(1)\</script\>
${"`"}<script>alert(1)</script>${"`"}
# <script>alert(1)</script>
- <img src=x onerror=alert(1)>
> <img src=x onerror=alert(1)>
***<svg onload=alert(1)>***
~~~ ~~~ onclick='alert(1)'
[x](https://a.example/"onmouseover="alert(1))
[x](https://a.example/&quot;onmouseover=&quot;alert(1))
[x](<https://a.example/" onmouseover="alert(1)>)
[x](https://a.example/><script>alert(1)</script>)
[x](https://a.example/ '"onmouseover="alert(1)')
[x](https://a.example/ "&quot;><script>alert(1)</script>")
![x](https://a.example/"onerror="alert(1))
!["&quot; onerror="alert(1)](https://a.example/x.png)
![x](https://a.example/x.png '" onload="alert(1)')
![![" onerror="alert(1)](https://a.example/)](https://a.example/x.png)
[![x](https://a.example/x.png)](javascript:alert(1))
[a](https://a.example/[b](javascript:alert(1)))
*[x*](javascript:alert(1))
<javascript:alert(1)@a.example>
<https://a.example/"onmouseover="alert(1)>
<https://a.example/&quot;onmouseover=alert(1)>
<mailto:a@a.example?subject="><script>alert(1)</script>>
<a&quot;onclick=alert(1)@a.example>
{{constructor.constructor('alert(1)')()}} <%= alert(1) %>
&constructor; &__proto__; &toString;
~~<img src=x onerror=alert(1)>~~
- [x] <img src=x onerror=alert(1)>
- [x](javascript:alert(1))
https://a.example/"onmouseover="alert(1)
https://a.example/<script>alert(1)</script>
https://a.example/&quot;><img/src=x/onerror=alert(1)>
"https://a.example/'onclick='alert(1)
[https://a.example/"onclick="alert(1)](https://a.example/"onclick="alert(1))
`.trim().split("\n").concat(
  ...["```\n</code></pre><script>alert(1)</script>\n```", "[a\n](javascript:alert(1))"],
  ...['```"onmouseover=alert(1)\nx\n```', "~~~x&#34;&#62;&#60;script&#62;alert(1)\nx\n~~~"],
  ...["[x](\njavascript:alert(1)\n)", "[x](java\nscript:alert(1))", "<ſcript>alert(1)</ſcript>"],
  ...["\u2028<script>alert(1)</script>", "\u0000<\u0000script>alert(1)</script>"],
  ...['| <img src=x onerror=alert(1)> |\n|:-:|\n| "onclick="alert(1) |'],
  ...["a|b\n-|-\n`<script>alert(1)</script>`|[x](javascript:alert(1))"],
  ...["<script>alert(1)</script>\n=====\n\n    <script>alert(1)</script>"],
);

/** Links and images of which only the text may be left, and autolinks that are text. */
export const REFUSED_LINKS: readonly string[] = DESTINATIONS
  .flatMap((to) => [`[x](${to})`, `[x](<${to}> "x")`, `![x](${to})`, `<${to}>`]);
