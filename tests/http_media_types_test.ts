import { describe, it } from "@std/testing/bdd";
import { assertEquals } from "@std/assert";
import { FORM, PATH, put, VALID } from "./_bodies.ts";
import { assertProblem, createService, readJson } from "./_service.ts";

describe("media type", () => {
  for (
    const contentType of [
      FORM,
      "Application/X-WWW-Form-URLencoded",
      `${FORM};charset=utf-8`,
      `${FORM} ; Charset="UTF-8"`,
      `${FORM}; charset=UTF-8; x=y`,
      `${FORM}; x="a;\\"b"`,
      `${FORM};`,
    ]
  ) {
    it(`a form is taken when its Content-Type is ${contentType}`, async () => {
      await readJson(await put(VALID, contentType));
    });
  }

  for (
    const contentType of ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8"]
  ) {
    it(`JSON is taken when its Content-Type is ${contentType}`, async () => {
      const text = JSON.stringify({ userEmail: "ann@example.com", subscribe: true });
      await readJson(await put(text, contentType));
    });
  }

  for (
    const contentType of [
      "text/plain",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/problem+json",
      "application/*",
      `${FORM}; charset=iso-8859-1`,
      `${FORM}; charset=utf-16`,
      `${FORM}; charset=`,
      `${FORM}; charset=xutf-8`,
      `${FORM}; charset=utf-8x`,
      `${FORM}; Charset=latin1`,
      `${FORM}; charset=utf-8; charset=latin1`,
      `${FORM}, ${FORM}`,
      `${FORM} charset=utf-8`,
      "x",
      "",
    ]
  ) {
    it(`a body is 415 with Accept when its Content-Type is "${contentType}"`, async () => {
      const response = await put(VALID, contentType);
      assertEquals(response.headers.get("accept"), `${FORM}, application/json`);
      const { detail } = await assertProblem(response, 415, "unsupported_media_type");
      assertEquals(detail, `The Content-Type is not ${FORM} or application/json in UTF-8`);
    });
  }

  it("a body is 415 when it has no Content-Type", async () => {
    const response = await createService().send("PUT", PATH, { body: new Blob([VALID]) });
    assertEquals(response.headers.get("accept"), `${FORM}, application/json`);
    const { detail } = await assertProblem(response, 415, "unsupported_media_type");
    assertEquals(
      detail,
      `The request has no Content-Type; send its fields in a body, as ${FORM} or application/json`,
    );
  });

  it("a request is 415 when it has neither body nor Content-Type", async () => {
    const response = await createService().send("PUT", PATH);
    await assertProblem(response, 415, "unsupported_media_type");
  });

  for (const coding of ["gzip", "identity", "br", ""]) {
    it(`a body is 415 with Accept-Encoding when its Content-Encoding is "${coding}"`, async () => {
      const response = await put(VALID, FORM, { "content-encoding": coding });
      assertEquals(response.headers.get("accept-encoding"), "identity");
      await assertProblem(response, 415, "unsupported_media_type");
    });
  }
});
