import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { generateSecret } from "../../../model/crypto/key_secret.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertProblem, assertRefused, createService, JSON_TYPE } from "../../_support/service.ts";
import { outcomeOf, put, readJson, type Sent, VALID_FORM } from "../../_support/service.ts";

const REQUIRED = { userEmail: "required", subscribe: "required" };
const KEY_PATH = "keys/1234567890abcdef";

/** Returns fields that no operation knows. */
function others(count: number): string {
  return Array.from({ length: count }, (_, at) => `&x${at}=1`).join("");
}

describe("the syntax of a form", () => {
  it("is 400 malformed_body if it is wrong", async () => {
    const notUtf8 = new TextEncoder().encode(`${VALID_FORM}&userName=\u00e9`).slice(0, -1);
    await forEachRow([
      ...["&x=%2", "&x=%zz", "&%=1", "&x=%ff", "&x=%ED%A0%80", "&%73ubscribe=false"]
        .map((rest) => VALID_FORM + rest),
      VALID_FORM + others(99),
      ...["&subscribe=true", "&x=1&x=1", "&x=1&%78=2"].map((rest) => VALID_FORM + rest),
      notUtf8,
    ], async (body) => assertEquals(await outcomeOf(await put(body)), "400 malformed_body"));
  });

  it("allows what forms may have", async () => {
    await forEachRow([
      [VALID_FORM + others(98), null],
      [`\ufeff&&${VALID_FORM}&&`, null],
      [`${VALID_FORM}&userName=Zoë=b`, "Zoë=b"],
      [`${VALID_FORM}&userName=Ann+B%2BC`, "Ann B+C"],
    ], async ([body, userName]) => {
      assertEquals((await readJson(await put(body))).userName, userName);
    });
  });

  it("gets a guess at the mistake if no field is known", async () => {
    await forEachRow([
      ['\n { "userEmail": "ann@example.com" }', "send it with Content-Type: application/json"],
      ['--x\r\nContent-Disposition: form-data; name="userEmail"', "looks like multipart/form-data"],
      ["", "the body is empty"],
    ], async ([body, hint]) => {
      assertStringIncludes((await assertRefused(await put(body), REQUIRED)).detail, hint);
    });
  });
});

describe("the syntax of JSON", () => {
  it("is 400 malformed_body, with the reason and nothing of the body, if it is wrong", async () => {
    const fields = Array.from({ length: 101 }, (_, index) => `"f${index}":1`).join();
    await forEachRow([
      ["", "it is empty"],
      ["\ufeff{}", "it starts with a byte order mark"],
      [VALID_FORM, "it looks like a form, not like JSON"],
      ...['{"a":1,}', "{} {}", '{"userEmail":"secret@a.bc"'].map((
        body,
      ) => [body, "check its JSON"]),
      ...["null", "1", "[{}]"].map((body) => [body, "the JSON is not an object"]),
      ['"{}"', "the JSON is a string, maybe an object that was encoded twice"],
      [`{${fields}}`, "there are more than 100 fields"],
      ['{"x":"a","a\\u0062":["{"],"\\u0061b":3}', 'the field "ab" is given twice'],
      ['{"__proto__":1,"__proto__":2}', 'the field "__proto__" is given twice'],
    ], async ([body, reason]) => {
      const { detail } = await assertProblem(await put(body, JSON_TYPE), 400, "malformed_body");
      assertStringIncludes(detail, `The body can't be read: ${reason}`);
      assert(!detail.includes("secret"));
    });
    const bytes = await put(Uint8Array.of(0x7b, 0xff, 0x7d), JSON_TYPE);
    assertEquals(await outcomeOf(bytes), "400 malformed_body");
  });

  it("allows names that are given once in each object, and 100 of them", async () => {
    const others = Array.from({ length: 97 }, (_, index) => [`f${index}`, index]);
    const nested = '"x":{"userEmail":"a","y":["subscribe",{"subscribe":1}]}';
    const fields = JSON.stringify(Object.fromEntries(others)).slice(1);
    const body = `{"userEmail":"ann@example.com","subscribe":true,${nested},${fields}`;
    assertEquals((await readJson(await put(body, JSON_TYPE))).userEmail, "ann@example.com");
  });
});

describe("a field or parameter that is not known", () => {
  it("is passed over, never stored, by the two documented operations and without a key", async () => {
    const { send, call } = createService();
    await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    await call("GET", "boards/ideas?x=1&fields=name&x=2");
    const json = JSON.parse(
      '{"userEmail":"ann@example.com","subscribe":true,"__proto__":{"userName":"Eve"},"x":[{}]}',
    );
    const form = { userEmail: "bob@example.com", subscribe: "true", usrName: "Bob", source: "x" };
    for (const sent of [{ json }, { form }]) {
      const path = "changelogs/subscribe?subscribe=false&x=1&x=2";
      const { changed: _, ...answer } = await readJson(await send("PUT", path, sent));
      assertEquals([answer.subscribed, answer.userName], [true, null]);
      const { history: _history, ...stored } = await call(
        "GET",
        `changelogs/subscribers/${answer.userEmail}`,
      );
      assertEquals(stored, { ...answer, source: "api", labels: null, pace: "each" });
    }
    for (const path of ["/livez?x=%zz", "/readyz?x=1&x=1", "/docs?utm_source=mail"]) {
      assertEquals((await send("GET", path, { key: null })).status, 200);
    }
  });

  it("is 422 unknown_field everywhere else, with the nearest known name", async () => {
    const { send } = createService();
    await forEachRow([
      ["POST", "boards", { name: "A", descripton: "x" }, "descripton", "description"],
      ["POST", "boards?name=A", { name: "B" }, "name", ""],
      ["PATCH", "boards/ideas", { boardId: "other" }, "boardId", ""],
      ["POST", "keys", { name: "A", expiresin: "1d" }, "expiresin", "expiresIn"],
      ["POST", `${KEY_PATH}/rotate`, { overlp: "1d" }, "overlp", "overlap"],
      ["GET", "boards?limt=5", undefined, "limt", "limit"],
      ["GET", "changelogs/subscribers/ann@example.com?x=1", undefined, "x", ""],
      ["DELETE", `${KEY_PATH}?constructor=1`, undefined, "constructor", ""],
    ], async ([method, path, fields, name, meant]) => {
      const hint = meant === "" ? "" : `; did you mean ${meant}?`;
      const form = fields as unknown as Record<string, string>;
      const sents: readonly Sent[] = fields ? [{ json: fields }, { form }] : [{}];
      for (const sent of sents) {
        const response = await send(method, path, sent);
        const { detail } = await assertRefused(response, { [name]: "unknown_field" });
        assertEquals(detail, `${name} is not a field here${hint}`);
      }
    });
  });
});

describe("a problem", () => {
  it("never quotes a secret, wherever it was put", async () => {
    const { send } = createService();
    for (const secret of [generateSecret(), `whsec_${"A".repeat(32)}`]) {
      const twice = { body: `{"${secret}":1,"${secret}":2}` };
      await forEachRow<readonly [method: string, path: string, sent: Sent]>([
        ["POST", "keys", { json: { name: "A", scopes: `boards:read ${secret}` } }],
        ["POST", "keys", { json: { name: "A", [secret]: 1, expiresAt: secret } }],
        ["GET", `boards?limit=${secret}&cursor=${secret}&${secret}=${secret}`, {}],
        ["PUT", "changelogs/subscribe", { ...twice, headers: { "content-type": JSON_TYPE } }],
      ], async ([method, path, sent]) => {
        const response = await send(method, path, sent);
        assert([400, 422].includes(response.status), `${response.status}`);
        assert(!(await response.text()).includes(secret.slice(11)));
      });
    }
  });
});

describe("a list of words", () => {
  it("is text with spaces, or an array of strings in JSON", async () => {
    const { send } = createService();
    await forEachRow<Sent>([
      { json: { name: "A", scopes: "keys:write  boards:read" } },
      { json: { name: "A", scopes: ["keys:write", "boards:read", "boards:read"] } },
      { form: { name: "A", scopes: "keys:write boards:read" } },
    ], async (sent) => {
      const { scopes } = await readJson(await send("POST", "keys", sent), 201);
      assertEquals(scopes, ["boards:read", "keys:write"]);
    });
    await forEachRow([
      ...[["boards:read keys:write"], ["boards:read", 1], {}, 7]
        .map((scopes) => [scopes, "invalid_type"] as const),
      ...[[], ["nothing"]].map((scopes) => [scopes, "invalid_value"] as const),
    ], async ([scopes, code]) => {
      const response = await send("POST", "keys", { json: { name: "A", scopes } });
      await assertRefused(response, { scopes: code });
    });
  });
});
