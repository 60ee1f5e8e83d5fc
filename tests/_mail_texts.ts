/** Texts that are hard to write into a mail and to read out of it: the name of a list, a title, a body. */
export const TEXTS: readonly (readonly [name: string, title: string, body: string])[] = [
  ["Example", "Dark mode", "Press D.\n\nThen press it again.\n"],
  ['Lee, "Ann" (Example) \\ <a@b.c>;', 'Dark: "mode", <b>=?</b> \\', "1 = 1 =3D =\n="],
  ["=?UTF-8?Q?Eve?=", "=?UTF-8?B?RXZl?= was here", "=?UTF-8?B?RXZl?= =C3=A9"],
  [
    "Жанна Дʼарк 株式会社",
    "Tmavý režim · 暗色模式 · الوضع الداكن · 🌒👩‍👩‍👧‍👦",
    "Žluťoučký kůň\n暗色模式\n🌒\n",
  ],
  [
    "n".repeat(200),
    "t".repeat(200),
    `${"b".repeat(75)} ${"b".repeat(77)}\n${"c".repeat(5_000)}`,
  ],
  ["Many Words ".repeat(18).trim(), "Many Words ".repeat(18).trim(), "Words ".repeat(900).trim()],
  [
    "ñ".repeat(200),
    "🌒".repeat(200),
    `${"ä".repeat(500)}\na${"ä".repeat(500)}\nab${"🌒".repeat(500)}`,
  ],
  [
    "Two  Spaces",
    "Two  spaces,  and   three",
    "ends with spaces  \n\ttab\t\n \n\n\n  starts with some",
  ],
  [".Example.", "..", `.\n..\n.a\n${"x".repeat(75)}.\n${"x".repeat(75)}.y\n.`],
  [
    "From Example",
    "From: eve@example.com",
    "From eve\n--=_boardcast\n--=_boardcast--\nBcc: eve@example.com\n>From",
  ],
];
