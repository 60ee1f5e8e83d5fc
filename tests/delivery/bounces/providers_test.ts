import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { confirmSns, problemOf } from "../../../delivery/bounces/confirm_sns.ts";
import { readReport } from "../../../delivery/bounces/read_report.ts";
import { AT, EVENTS, sns } from "../../_support/bounces/events.ts";
import { forEachRow } from "../../_support/rows.ts";
import { FORM, JSON_TYPE } from "../../_support/service.ts";

function read(body: unknown, contentType = JSON_TYPE) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const report = readReport({ contentType, text });
  if (typeof report === "string") throw new Error(report);
  return report;
}

describe("readReport", () => {
  for (const [provider, rows] of Object.entries(EVENTS)) {
    it(`reads what ${provider} posts`, async () => {
      await forEachRow(rows, ({ body, expected }) => {
        const { events, unknown } = read(body);
        assertEquals([events.length, unknown], [1, 0]);
        const [{ type, code, address, at }] = events;
        const about = address === "ann@example.com" ? "" : `, ${address || "nobody"}`;
        assertEquals(`${type} ${code}`.trim() + about, expected);
        assertEquals(at, AT);
      });
    });
  }

  it("reads several events in an array, of several providers even", () => {
    const all = Object.values(EVENTS).flatMap((rows) => rows.map(({ body }) => body));
    assertEquals(read(all).events.length, all.length);
  });

  it("counts events of unknown kinds in an array", () => {
    const [{ body: event }] = EVENTS.sendgrid;
    const { events, unknown } = read([event, { event: "new" }, 5, null]);
    assertEquals([events.length, unknown], [1, 3]);
  });

  it("reads the JSON of SNS as plain text", () => {
    const [{ body: message }] = EVENTS.amazon_ses;
    assertEquals(read(message, "text/plain; charset=UTF-8").events.length, 1);
  });

  it("reads no event in what SNS and SparkPost say of themselves", async () => {
    await forEachRow([sns("A test of the topic"), { msys: {} }, []], (body) => {
      assertEquals(read(body).events, []);
    });
  });

  it("tells the URL by which SNS has a subscription confirmed", () => {
    const url = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1";
    const message = { ...sns("Confirm"), Type: "SubscriptionConfirmation", SubscribeURL: url };
    assertEquals(read(message).confirmUrl, url);
    assertEquals(read(sns("{}")).confirmUrl, undefined);
  });

  it("reads every recipient of a bounce of Amazon SES", () => {
    const bouncedRecipients = ["a@example.com", "b@example.com"]
      .map((emailAddress) => ({ emailAddress }));
    const bounce = { bounceType: "Permanent", bouncedRecipients };
    const { events } = read(sns({ notificationType: "Bounce", bounce, mail: {} }));
    assertEquals(events.map(({ address }) => address), ["a@example.com", "b@example.com"]);
  });

  it("reads the forms that Mailgun posted before", async () => {
    const base = { recipient: "ann@example.com", timestamp: "1795599000", signature: "0" };
    await forEachRow([
      [{ event: "bounced", code: "550", error: "5.1.1 No such user" }, "permanent"],
      [{ event: "bounced", code: "552", error: "5.2.2 full" }, "temporary"],
      [{ event: "dropped", reason: "hardfail", code: "605" }, "permanent"],
      [{ event: "dropped", reason: "hardfail", code: "606" }, "unsubscribe"],
      [{ event: "dropped", reason: "hardfail", code: "607" }, "complaint"],
      [{ event: "dropped", reason: "old" }, "temporary"],
      [{ event: "complained" }, "complaint"],
      [{ event: "unsubscribed" }, "unsubscribe"],
      [{ event: "opened" }, "other"],
    ], ([form, expected]) => {
      const text = `${new URLSearchParams({ ...base, ...form } as Record<string, string>)}`;
      const [{ type, address, at }] = read(text, FORM).events;
      assertEquals([type, address, at], [expected, "ann@example.com", AT]);
    });
  });

  it("says what it looked for, and quotes nothing, if it knows nothing in the text", async () => {
    await forEachRow([
      [JSON_TYPE, '{"event":"bounce","who":"ann@example.com"}', /Postmark.*SendGrid/],
      [JSON_TYPE, '[{"ann@example.com":1}]', /Postmark.*SendGrid/],
      [JSON_TYPE, "null", /Postmark.*SendGrid/],
      [JSON_TYPE, '{"ann@example.com', /not JSON/],
      [FORM, "event=bounced&recipient=ann%40example.com", /Mailgun/],
      ["message/rfc822", "To: ann@example.com\n\nHi", /RFC 3464.*RFC 5965/],
      ["text/plain", "ann@example.com", /RFC 3464/],
      ["multipart/report", "", /RFC 3464/],
    ], ([contentType, text, expected]) => {
      const problem = readReport({ contentType, text });
      assertMatch(`${problem}`, expected);
      assert(!`${problem}`.includes("ann@"));
    });
  });

  it("takes an event with members of the wrong kind for an unknown one", async () => {
    const keys = ["event-data", "RecordType", "msys", "TopicArn", "mail", "type", "data", "event"];
    const values = [null, 5, "x", [], {}, [[]], { event: {} }, { x: null }];
    const bodies = keys.flatMap((key) =>
      values.map((value) => ({ Type: "Notification", email: 5, time: {}, [key]: value }))
    );
    await forEachRow(bodies, (body) => {
      for (const event of read([body, EVENTS.mailgun[0].body]).events) {
        assertEquals(typeof event.address, "string");
      }
    });
  });
});

describe("confirmSns", () => {
  const url = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=1";

  it("looks up Amazon's host, and connects to no address that is not public", async () => {
    const names: string[] = [];
    const lookup = (name: string) => {
      names.push(name);
      return Promise.resolve([{ address: "169.254.169.254", family: 4 }]);
    };
    assertEquals(await confirmSns(url, { lookup }), "the host has an address that is not public");
    assertEquals(names, ["sns.eu-central-1.amazonaws.com"]);
  });

  it("counts a refused confirmation as a failure", () => {
    assertEquals(problemOf({ status: 403 }), "Amazon SNS answered 403");
    assertEquals(problemOf({ status: 200 }), undefined);
  });

  it("says what went wrong, without the URL", async () => {
    const lookup = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }));
    const problem = await confirmSns(url, { lookup });
    assertEquals(problem, "the host cannot be resolved (ENOTFOUND)");
  });
});
