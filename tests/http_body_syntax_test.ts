import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { FORM, PATH, put, VALID } from "./_bodies.ts";
import { assertProblem, assertRefused, createService, readJson } from "./_service.ts";

describe("form syntax", () => {
  for (
    const [reason, body] of [
      ["an escape is cut off", `${VALID}&x=%2`],
      ["an escape is no number", `${VALID}&x=%zz`],
      ["a name has a bad escape", `${VALID}&%=1`],
      ["escapes are not UTF-8", `${VALID}&x=%ff`],
      ["escapes are a surrogate", `${VALID}&x=%ED%A0%80`],
      ["userEmail is there twice", `${VALID}&userEmail=ann%40example.com`],
      ["subscribe is there twice, once escaped", `${VALID}&%73ubscribe=false`],
      ["userName is there twice, both empty", `${VALID}&userName&userName`],
      ["it has 101 fields", VALID + "&x=1".repeat(99)],
    ]
  ) {
    it(`a form is 400 when ${reason}`, async () => {
      await assertProblem(await put(body), 400, "malformed_body");
    });
  }

  it("a form is 400, and says why, when its bytes are not UTF-8, announced or in chunks", async () => {
    const body = new Uint8Array([...new TextEncoder().encode(`${VALID}&userName=`), 0xe9]);
    const announced: Record<string, string> = { "content-length": `${body.length}` };
    for (const headers of [{}, announced]) {
      const response = await put(body, FORM, headers);
      const { detail } = await assertProblem(response, 400, "malformed_body");
      assertEquals(detail, "The body is not UTF-8");
    }
  });

  for (
    const [reason, body] of [
      ["it has 100 fields", VALID + "&x=1".repeat(98)],
      ["unknown fields repeat", `${VALID}&x=1&x=2&__proto__=3&constructor=4`],
      ["separators are doubled", `&&${VALID}&&`],
      ["it has 200 separators", "&".repeat(200) + VALID],
      ["text is UTF-8 without escapes", `${VALID}&userName=Zoë`],
    ]
  ) {
    it(`a form is taken when ${reason}`, async () => {
      await readJson(await put(body));
    });
  }

  it("a form may start with a byte order mark, announced or in chunks", async () => {
    const body = new TextEncoder().encode(`\ufeff${VALID}`);
    await readJson(await put(body));
    await readJson(await put(body, FORM, { "content-length": `${body.length}` }));
  });

  it("byte order marks before a form are taken for none of it, however many", async () => {
    const body = new TextEncoder().encode(`\ufeff\ufeff\ufeff${VALID}`);
    await readJson(await put(body));
    await readJson(await put(body, FORM, { "content-length": `${body.length}` }));
  });

  it("JSON without any field is 422 without a guess", async () => {
    const response = await put("{}", "application/json");
    const { detail } = await assertRefused(response, {
      userEmail: "required",
      subscribe: "required",
    });
    assertEquals(detail.includes("the body"), false);
  });

  it("a form that looks like JSON is taken when no field is required", async () => {
    const { send } = createService();
    await send("POST", "/api/v1/boards", { json: { boardId: "ideas", name: "Ideas" } });
    const response = await send("PATCH", "/api/v1/boards/ideas", {
      body: '{"name":"Wishes"}',
      headers: { "content-type": FORM },
    });
    assertEquals((await readJson(response)).name, "Ideas");
  });

  const JSON_HINT = "the body looks like JSON: send it with Content-Type: application/json";
  const HINTS: readonly (readonly [body: string, hint: string])[] = [
    ['{"userEmail":"ann@example.com","subscribe":true}', JSON_HINT],
    ['\n { "userEmail": "ann@example.com" }', JSON_HINT],
    ['[{"userEmail":"ann@example.com"}]', JSON_HINT],
    ["%7b%22userEmail%22%3a%22ann%40example.com%22%7d", JSON_HINT],
    ["{=1", JSON_HINT],
    ['--x\r\nContent-Disposition: form-data; name="userEmail"', "looks like multipart/form-data"],
    ["", "the body is empty"],
  ];
  for (const [body, hint] of HINTS) {
    it(`a form is 422, and says what it seems to be, when it is ${JSON.stringify(body)}`, async () => {
      const { detail } = await assertRefused(await put(body), {
        userEmail: "required",
        subscribe: "required",
      });
      assertStringIncludes(`${detail}`, hint);
    });
  }

  it("a form is 422 without a guess when it has a known field, or is no more than unknown", async () => {
    for (
      const [body, userEmail] of [
        ["userEmail=%7B", "invalid_email"],
        ["{x=1&userEmail=%7B", "invalid_email"],
        ["x=1", "required"],
        ["x={", "required"],
      ]
    ) {
      const expected = { userEmail, subscribe: "required" };
      const { detail } = await assertRefused(await put(body), expected);
      assertEquals(detail.includes("the body"), false);
    }
  });

  it("a field is split at its first equals sign", async () => {
    const form = `${VALID}&userName=a=b=c`;
    assertEquals((await readJson(await put(form))).userName, "a=b=c");
  });

  it("a plus sign in a form means space, %2B means plus", async () => {
    const form = "userEmail=ann%2Bnews%40example.com&subscribe=true&userName=Ann+B%2BC";
    const { userEmail, userName } = await readJson(await put(form));
    assertEquals([userEmail, userName], ["ann+news@example.com", "Ann B+C"]);
  });
});

describe("JSON syntax", () => {
  for (
    const body of [
      " ",
      "{",
      '{"a":1,}',
      "null",
      "true",
      "1",
      "[{}]",
      "{} {}",
      "{'a':1}",
    ]
  ) {
    it(`JSON is 400 when it is ${JSON.stringify(body)}`, async () => {
      await assertProblem(await put(body, "application/json"), 400, "malformed_body");
    });
  }

  it("JSON is 400 when its bytes are not UTF-8", async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    await assertProblem(await put(bytes, "application/json"), 400, "malformed_body");
  });

  it("JSON is taken when it has 100 fields", async () => {
    const others = Array.from({ length: 98 }, (_, i) => [`f${i}`, i]);
    const json = { userEmail: "ann@example.com", subscribe: true, ...Object.fromEntries(others) };
    await readJson(await put(JSON.stringify(json), "application/json"));
  });

  const MALFORMED: readonly (readonly [body: string, reason: string])[] = [
    ["", "it is empty"],
    ["{,}", "check its JSON"],
    ["\ufeff{}", "it starts with a byte order mark"],
    ["userEmail=ann%40example.com&subscribe=true", "it looks like a form, not like JSON"],
    ["[]", "the JSON is not an object"],
    ['"x"', "the JSON is a string, maybe an object that was encoded twice"],
    ['"{}"', "the JSON is a string, maybe an object that was encoded twice"],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, 0]))),
      "there are more than 100 fields",
    ],
  ];
  for (const [body, reason] of MALFORMED) {
    it(`JSON is 400, and says what to mend, when it is ${JSON.stringify(body).slice(0, 40)}`, async () => {
      const bytes = new TextEncoder().encode(body);
      for (const headers of [undefined, { "content-length": `${bytes.length}` }]) {
        const response = await put(bytes, "application/json", headers);
        const { detail } = await assertProblem(response, 400, "malformed_body");
        assertEquals(detail, `The body can't be read: ${reason}`);
      }
    });
  }

  it("unknown fields of any type are ignored and never stored", async () => {
    const service = createService();
    const json = JSON.parse(
      '{"userEmail":"ann@example.com","subscribe":true,"__proto__":{"userName":"Eve"},"x":[{}],"updatedAt":1}',
    );
    const put = await readJson(await service.send("PUT", PATH, { json }));
    const got = await readJson(
      await service.send("GET", "/api/v1/changelogs/subscribers/ann@example.com"),
    );
    assertEquals(put, { ...got, changed: true });
    assertEquals([got.userName, Object.keys(got).sort()], [
      null,
      ["createdAt", "subscribed", "updatedAt", "userEmail", "userName"],
    ]);
  });

  it("a problem with a body shows nothing of the body", async () => {
    const response = await put('{"userEmail":"secret@example.com"', "application/json");
    const { detail } = await assertProblem(response, 400, "malformed_body");
    assertEquals(detail.includes("secret"), false);
    assertStringIncludes(detail, "JSON");
  });
});
