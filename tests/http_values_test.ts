import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret } from "../model/api_key.ts";
import {
  BOARDS_PATH,
  FORM,
  JSON_TYPE,
  KEYS_PATH,
  put,
  SUBSCRIBE_PATH,
  SUBSCRIBERS_PATH,
  VALID_FORM,
  withIdeas,
} from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, assertRefused, createService, readJson, type Sent } from "./_service.ts";

type Form = Readonly<Record<string, string>>;

const REQUIRED = { userEmail: "required", subscribe: "required" };

/** Bytes of a form with a byte order mark, or of one that is not UTF-8, announced and in chunks. */
async function putBytes(bytes: Uint8Array<ArrayBuffer>, contentType = FORM): Promise<Response[]> {
  const announced = { "content-length": `${bytes.length}` };
  return [await put(bytes, contentType), await put(bytes, contentType, announced)];
}

describe("the syntax of a form", () => {
  it("is 400 malformed_body if it is wrong", async () => {
    await forEachRow([
      ...["&x=%2", "&x=%zz", "&%=1", "&x=%ff", "&x=%ED%A0%80", "&userEmail=ann%40example.com"],
      ...["&%73ubscribe=false", "&userName&userName", "&x=1".repeat(99)],
    ], async (rest) => {
      await assertProblem(await put(VALID_FORM + rest), 400, "malformed_body");
    });
    const bytes = new TextEncoder().encode(`${VALID_FORM}&userName=\u00e9`).slice(0, -1);
    for (const response of await putBytes(bytes)) {
      const { detail } = await assertProblem(response, 400, "malformed_body");
      assertEquals(detail, "The body is not UTF-8");
    }
  });

  it("allows what forms may have", async () => {
    const taken = [
      [VALID_FORM + "&x=1".repeat(98), null],
      [`&&${VALID_FORM}&&`, null],
      ["&".repeat(200) + VALID_FORM, null],
      [`${VALID_FORM}&userName=Zoë`, "Zoë"],
      [`${VALID_FORM}&userName=a=b=c`, "a=b=c"],
      [`${VALID_FORM}&userName=Ann+B%2BC`, "Ann B+C"],
    ] as const;
    await forEachRow(taken, async ([body, userName]) => {
      assertEquals((await readJson(await put(body))).userName, userName);
    });
    for (const marks of ["\ufeff", "\ufeff\ufeff\ufeff"]) {
      const bytes = new TextEncoder().encode(marks + VALID_FORM);
      for (const response of await putBytes(bytes)) await readJson(response);
    }
  });

  it("gets a guess at what was meant where no field is known", async () => {
    const json = "the body looks like JSON: send it with Content-Type: application/json";
    await forEachRow([
      ['{"userEmail":"ann@example.com","subscribe":true}', json],
      ['\n { "userEmail": "ann@example.com" }', json],
      ['[{"userEmail":"ann@example.com"}]', json],
      ["%7b%22userEmail%22%3a%22ann%40example.com%22%7d", json],
      ["{=1", json],
      ['--x\r\nContent-Disposition: form-data; name="userEmail"', "looks like multipart/form-data"],
      ["", "the body is empty"],
    ], async ([body, hint]) => {
      assertStringIncludes((await assertRefused(await put(body), REQUIRED)).detail, hint);
    });
    await forEachRow([
      ["userEmail=%7B", { ...REQUIRED, userEmail: "invalid_email" }],
      ["{x=1&userEmail=%7B", { ...REQUIRED, userEmail: "invalid_email" }],
      ["x=1", REQUIRED],
      ["x={", REQUIRED],
    ], async ([body, expected]) => {
      const { detail } = await assertRefused(await put(body), expected);
      assertEquals(detail.includes("the body"), false);
    });
  });
});

describe("the syntax of JSON", () => {
  it("is 400 malformed_body, with the reason and nothing of the body, if it is wrong", async () => {
    const flat = "the JSON is not an object";
    const encodedTwice = "the JSON is a string, maybe an object that was encoded twice";
    const fields = Array.from({ length: 101 }, (_, index) => `"f${index}":1`).join();
    await forEachRow([
      ["", "it is empty"],
      ["\ufeff{}", "it starts with a byte order mark"],
      [VALID_FORM, "it looks like a form, not like JSON"],
      ...[" ", "{", '{"a":1,}', "{,}", "{} {}", "{'a':1}", '{"userEmail":"secret@a.bc"']
        .map((body) => [body, "check its JSON"]),
      ...["null", "true", "1", "[]", "[{}]"].map((body) => [body, flat]),
      ...['"x"', '"{}"'].map((body) => [body, encodedTwice]),
      [`{${fields}}`, "there are more than 100 fields"],
      ['{"a":1,"b":{"a":2},"a":3}', 'the field "a" is given twice'],
      ['{"x":"a","a\\u0062":["{"],"\\u0061b":3}', 'the field "ab" is given twice'],
      ['{"__proto__":1,"__proto__":2}', 'the field "__proto__" is given twice'],
      [`{"${"x".repeat(50)}":1,"${"x".repeat(50)}":1}`, `the field "${"x".repeat(40)}…" is given`],
    ], async ([body, reason]) => {
      const { detail } = await assertProblem(await put(body, JSON_TYPE), 400, "malformed_body");
      assertStringIncludes(detail, `The body can't be read: ${reason}`);
      assertEquals(detail.includes("secret"), false);
    });
    for (const response of await putBytes(Uint8Array.of(0x7b, 0xff, 0x7d), JSON_TYPE)) {
      await assertProblem(response, 400, "malformed_body");
    }
  });

  it("allows names that are given once in each object, and 100 of them", async () => {
    const others = Array.from({ length: 97 }, (_, index) => [`f${index}`, index]);
    const nested = '"x":{"userEmail":"a","y":["subscribe",{"subscribe":1}]}';
    const fields = JSON.stringify(Object.fromEntries(others)).slice(1);
    const body = `{"userEmail":"ann@example.com","subscribe":true,${nested},${fields}`;
    assertEquals((await readJson(await put(body, JSON_TYPE))).userEmail, "ann@example.com");
  });

  it("gets no guess where it has no field", async () => {
    const { detail } = await assertRefused(await put("{}", JSON_TYPE), REQUIRED);
    assertEquals(detail.includes("the body"), false);
  });
});

describe("a field or parameter that is not known", () => {
  it("is passed over, never stored, by the two documented operations", async () => {
    const service = await withIdeas();
    const { send } = service;
    assertEquals((await send("GET", `${BOARDS_PATH}/ideas?x=1&fields=name&x=2`)).status, 200);
    const json = JSON.parse(
      '{"userEmail":"ann@example.com","subscribe":true,"__proto__":{"userName":"Eve"},"x":[{}],' +
        '"updatedAt":1,"source":"link"}',
    );
    const form = { userEmail: "bob@example.com", subscribe: "true", usrName: "Bob", source: "x" };
    for (const sent of [{ json }, { form }]) {
      const path = `${SUBSCRIBE_PATH}?subscribe=false&x=1&x=2`;
      const { changed, ...answer } = await readJson(await send("PUT", path, sent));
      const stored = await readJson(await send("GET", `${SUBSCRIBERS_PATH}/${answer.userEmail}`));
      assertEquals([changed, stored], [true, { ...answer, source: "api" }]);
      assertEquals([answer.subscribed, answer.userName], [true, null]);
    }
    const twice = await put(`${VALID_FORM}&x=1&x=2&__proto__=3&constructor=4`);
    await readJson(twice);
  });

  it("is 422 unknown_field everywhere else, with the nearest known name", async () => {
    const { send } = await withIdeas();
    const key = await readJson(await send("POST", KEYS_PATH, { json: { name: "Key" } }), 201);
    await forEachRow([
      ["POST", BOARDS_PATH, { name: "A", desc: "x" }, "desc", ""],
      ["POST", BOARDS_PATH, { name: "A", descripton: "x" }, "descripton", "description"],
      ["POST", BOARDS_PATH, { name: "A", ulr: "x" }, "ulr", "url"],
      ["PATCH", `${BOARDS_PATH}/ideas`, { boardId: "other" }, "boardId", ""],
      ["PATCH", `${BOARDS_PATH}/ideas`, { Name: "Other" }, "Name", "name"],
      ["POST", KEYS_PATH, { name: "A", scope: "boards:read" }, "scope", "scopes"],
      ["POST", KEYS_PATH, { name: "A", expiresin: "1d" }, "expiresin", "expiresIn"],
      ["POST", `${KEYS_PATH}/${key.keyId}/rotate`, { overlp: "1d" }, "overlp", "overlap"],
      ["GET", `${BOARDS_PATH}?limt=5`, undefined, "limt", "limit"],
      ["GET", `${SUBSCRIBERS_PATH}?subscribe=true`, undefined, "subscribe", "subscribed"],
      ["GET", `${SUBSCRIBERS_PATH}/ann@example.com?x=1`, undefined, "x", ""],
      ["GET", `${KEYS_PATH}?cursr=a`, undefined, "cursr", "cursor"],
      ["DELETE", `${BOARDS_PATH}/ideas?force=true`, undefined, "force", ""],
      ["DELETE", `${KEYS_PATH}/${key.keyId}?constructor=1`, undefined, "constructor", ""],
      ["POST", `${BOARDS_PATH}?name=A`, { name: "B" }, "name", ""],
    ], async ([method, path, fields, name, meant]) => {
      const hint = meant === "" ? "" : `; did you mean ${meant}?`;
      const sents: readonly Sent[] = fields ? [{ json: fields }, { form: fields as Form }] : [{}];
      for (const sent of sents) {
        const response = await send(method, path, sent);
        const { detail } = await assertRefused(response, { [name]: "unknown_field" });
        assertEquals(detail, `${name} is not a field here${hint}`);
      }
    });
    assertEquals((await readJson<{ data: [] }>(await send("GET", BOARDS_PATH))).data.length, 1);
    assertEquals((await readJson<{ data: [] }>(await send("GET", KEYS_PATH))).data.length, 1);
  });

  it("is passed over in the query of what needs no key", async () => {
    const { send } = createService();
    const paths = ["/livez?x=%zz", "/readyz?x=1&x=1", "/openapi.json?x", "/docs?utm_source=mail"];
    await forEachRow(paths, async (path) => {
      assertEquals((await send("GET", path, { key: null })).status, 200);
    });
  });

  it("is named together with all other bad fields, and cut if it is long", async () => {
    const { send } = createService();
    const long = "x".repeat(41);
    const json = { name: "", description: 1, [long]: 1, y: null };
    const response = await send("POST", `${BOARDS_PATH}?limit=1`, { json });
    const { errors, detail } = await assertRefused(response, {
      limit: "unknown_field",
      name: "invalid_value",
      description: "invalid_type",
      [`${"x".repeat(40)}…`]: "unknown_field",
      y: "unknown_field",
    });
    assertEquals(detail, errors?.map((error) => error.detail).join("; "));
  });
});

describe("a 422", () => {
  it("never quotes a secret, wherever it was put", async () => {
    const { send } = await withIdeas();
    const secrets = [generateSecret(), `whsec_${"A".repeat(32)}`];
    for (const secret of secrets) {
      const json: readonly Record<string, unknown>[] = [
        { name: "A", scopes: secret },
        { name: "A", scopes: `boards:read ${secret}` },
        { name: "A", scopes: [secret] },
        { name: "A", [secret]: 1 },
        { name: "A", expiresAt: secret, expiresIn: secret },
      ];
      await forEachRow(json, async (fields) => {
        const text = await (await send("POST", KEYS_PATH, { json: fields })).text();
        assert(!text.includes(secret.slice(11)), text);
      });
      await forEachRow(["limit", "cursor", secret], async (name) => {
        const text = await (await send("GET", `${BOARDS_PATH}?${name}=${secret}`)).text();
        assert(!text.includes(secret.slice(11)), text);
      });
      const body = `{"${secret}":1,"${secret}":2}`;
      const text = await (await put(body, JSON_TYPE)).text();
      assert(!text.includes(secret.slice(11)), text);
    }
  });
});

describe("a list of words", () => {
  it("is text with spaces, or an array of strings in JSON", async () => {
    const { send } = createService();
    const scopes = ["boards:read", "keys:write"];
    await forEachRow([
      { json: { name: "A", scopes: "keys:write  boards:read" } },
      { json: { name: "A", scopes: ["keys:write", "boards:read"] } },
      { json: { name: "A", scopes: ["keys:write", "boards:read", "boards:read"] } },
      { form: { name: "A", scopes: "keys:write boards:read" } },
    ], async (sent) => {
      const created = await readJson(await send("POST", KEYS_PATH, sent), 201);
      assertEquals(created.scopes, scopes);
    });
    await forEachRow([
      [["boards:read keys:write"], "invalid_type"],
      [["boards:read", 1], "invalid_type"],
      [[["boards:read"]], "invalid_type"],
      [["boards:read", ""], "invalid_type"],
      [["boards:read\n"], "invalid_type"],
      [[], "invalid_value"],
      [["nothing"], "invalid_value"],
      [{}, "invalid_type"],
      [7, "invalid_type"],
    ], async ([given, code]) => {
      const json = { name: "A", scopes: given };
      await assertRefused(await send("POST", KEYS_PATH, { json }), { scopes: code });
    });
    // Other fields take none.
    const json = { name: ["A"] };
    await assertRefused(await send("POST", BOARDS_PATH, { json }), { name: "invalid_type" });
  });
});
