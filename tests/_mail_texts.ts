/** Texts that are hard to write into a mail, and to read out of it. */
export const TEXTS: Readonly<
  Record<string, { readonly name: string; readonly title: string; readonly body: string }>
> = {
  "plain words": {
    name: "Example",
    title: "Dark mode",
    body: "Press D.\n\nThen press it again.\n",
  },
  "words that need quotes": {
    name: 'Lee, "Ann" (Example) \\ <a@b.c>;',
    title: 'Dark: "mode", <b>=?</b> \\',
    body: "1 = 1 =3D =\n=",
  },
  "text that looks encoded": {
    name: "=?UTF-8?Q?Eve?=",
    title: "=?UTF-8?B?RXZl?= was here",
    body: "=?UTF-8?B?RXZl?= =C3=A9",
  },
  "letters of many scripts": {
    name: "Жанна Дʼарк 株式会社",
    title: "Tmavý režim · 暗色模式 · الوضع الداكن · 🌒👩‍👩‍👧‍👦",
    body: "Žluťoučký kůň\n暗色模式\n🌒\n",
  },
  "long words": {
    name: "n".repeat(200),
    title: "t".repeat(200),
    body: `${"b".repeat(75)} ${"b".repeat(77)}\n${"c".repeat(5_000)}`,
  },
  "many words": {
    name: "Many Words ".repeat(18).trim(),
    title: "Many Words ".repeat(18).trim(),
    body: "Many Words ".repeat(500).trim(),
  },
  "long words beyond ASCII": {
    name: "ñ".repeat(200),
    title: "🌒".repeat(200),
    body: `${"ä".repeat(500)}\na${"ä".repeat(500)}\nab${"🌒".repeat(500)}`,
  },
  "spaces in odd places": {
    name: "Two  Spaces",
    title: "Two  spaces,  and   three",
    body: "ends with spaces  \n\ttab\t\n \n\n\n  starts with some",
  },
  "lines that start with dots": {
    name: ".Example.",
    title: "..",
    body: `.\n..\n.a\n${"x".repeat(75)}.\n${"x".repeat(75)}.y\n.`,
  },
  "lines that start like other things": {
    name: "From Example",
    title: "From: eve@example.com",
    body: "From eve\n--=_boardcast\n--=_boardcast--\nBcc: eve@example.com\n>From",
  },
};
