import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createCsvReader } from "../../model/subscriptions/csv_list_reader.ts";
import { parseListTime } from "../../model/values/time.ts";
import { listSubscriptions } from "../../services/subscriptions/subscriptions.ts";
import { createCommandLine, withFile } from "../_support/cli.ts";
import { readReport, type Report, sendImport, stored } from "../_support/import.ts";
import { forEachRow } from "../_support/rows.ts";
import {
  assertOutcomes,
  assertProblem,
  createService,
  type TestService,
} from "../_support/service.ts";
import { threadMs } from "../_support/waiting.ts";

const LISTS = new URL("../fixtures/lists/", import.meta.url);

async function importFile(service: TestService, name: string, query = ""): Promise<Report> {
  return await readReport(await sendImport(service, await readList(name), { query }));
}

function readList(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return Deno.readFile(new URL(name, LISTS));
}

/**
 * Each file with the people whom it subscribes (`+`) or unsubscribes (`-`), and its refused lines.
 */
const ROWS: readonly (readonly [file: string, query: string, expected: string])[] = [
  ["listmonk.csv", "", '- bob Bob "B" Young, - eve Eve, 2 required, 5 invalid_value'],
  [
    "listmonk.csv",
    "?listStatus=confirmed",
    '+ ann Ann, - bob Bob "B" Young, - eve Eve, 5 invalid_value',
  ],
  [
    "listmonk.csv",
    "?listStatus=unconfirmed",
    '- bob Bob "B" Young, - eve Eve, 2 invalid_value, 5 invalid_value',
  ],
  [
    "listmonk.csv",
    "?listStatus=unsubscribed",
    '- ann Ann, - bob Bob "B" Young, - eve Eve, 5 invalid_value',
  ],
  ["keila.csv", "", "+ ann Ann Lee, - bob null, - eve Eve, 5 invalid_value"],
  ["ghost.csv", "", "+ ann Ann, - bob null, 4 invalid_value, 5 invalid_value"],
  ["mailchimp.csv", "", "2 required, 3 required"],
  ["mailchimp.csv", "?state=subscribed", "+ ann Ann Lee, + bob null"],
  ["mailchimp.csv", "?state=unsubscribed", "- ann Ann Lee, - bob null"],
  ["mailchimp.csv", "?state=cleaned", "- ann Ann Lee, - bob null"],
  ["mailchimp_unsubscribed.csv", "", "2 required"],
  ["mailchimp_unsubscribed.csv", "?state=unsubscribed", "- cat Cat"],
  ["mailchimp_unsubscribed.csv", "?state=subscribed", "2 invalid_value"],
  ["changes_page.csv", "", "+ ann null, + bob null"],
  ["productlift.csv", "", "+ ann Ann Lee, + bob Bob, Jr."],
  ["keila_excel.txt", "", "+ ann Änne Müller, - bob null"],
  ["boardcast_excel.csv", "", "+ ann Ann, + bob Bob; Jr., - eve =Eve"],
];

describe("a list of another product", () => {
  it("subscribes, unsubscribes and refuses as the product means it", () =>
    forEachRow(ROWS, async ([file, query, expected]) => {
      const service = createService();
      const { refused } = await importFile(service, file, query);
      const people = (await stored(service.storage)).map((person) =>
        person.replace(
          /^(\w+)@example\.com (.*) (true|false) import$/,
          (_, name, full, on) => `${on === "true" ? "+" : "-"} ${name} ${full}`,
        )
      );
      const lines = refused.map(({ line, code }) => `${line} ${code}`);
      assertEquals([...people, ...lines].join(", "), expected);
    }));

  it("is read the same in pieces of any size, in UTF-16 too", async () => {
    const bytes = await readList("keila_excel.txt");
    for (const size of [1, 3, 7]) {
      const service = createService();
      const pieces = Array.from(
        { length: Math.ceil(bytes.length / size) },
        (_, i) => bytes.subarray(i * size, (i + 1) * size),
      );
      await readReport(await sendImport(service, ReadableStream.from(pieces)));
      assertEquals(await stored(service.storage), [
        "ann@example.com Änne Müller true import",
        "bob@example.com null false import",
      ]);
    }
  });

  it("is read whatever ends its lines, in pieces of any size", async () => {
    const lines = ["userEmail,subscribed", "ann@example.com,true", "", "bob@example.com,false", ""];
    for (const end of ["\n", "\r\n", "\r"]) {
      for (const size of [1, 2, 100]) {
        const text = lines.join(end);
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g"))!
          .map((piece) => new TextEncoder().encode(piece));
        const service = createService();
        const { refused } = await readReport(
          await sendImport(service, ReadableStream.from(pieces)),
        );
        assertEquals(refused, []);
        assertEquals(await stored(service.storage), [
          "ann@example.com null true import",
          "bob@example.com null false import",
        ]);
      }
    }
  });

  it("is read with the separator that its first line names", async () => {
    for (const separator of [";", "|", "\t"]) {
      const service = createService();
      const text = `sep=;\r\nuserName;userEmail;subscribed\r\n"Lee; Ann";ann@example.com;true\r\n`;
      await readReport(await sendImport(service, text.replaceAll(/;(?! )/g, separator)));
      assertEquals(await stored(service.storage), ["ann@example.com Lee; Ann true import"]);
    }
  });

  it("has its header read in a time that grows with the number of its columns alone", () => {
    const measure = (columns: number) => {
      const startMs = threadMs();
      const text = "email,".repeat(columns) + "created_at";
      createCsvReader().read({ line: 1, lastLine: 1, text });
      return threadMs() - startMs;
    };
    const [short, long] = [1_000, 10_000].map((columns) =>
      Math.min(...[1, 2, 3].map(() => measure(columns)))
    );
    assert(long < short * 40 + 50, `${short} and ${long} ms`);
  });

  it("has the words of spreadsheets for true and false, in the languages of the pages", async () => {
    await forEachRow([
      ["TRUE", "FALSE"],
      ["WAHR", "FALSCH"],
      ["VERDADERO", "FALSO"],
      ["VRAI", "FAUX"],
      ["VERO", "FALSO"],
      ["WAAR", "ONWAAR"],
      ["PRAWDA", "FAŁSZ"],
      ["VERDADEIRO", "FALSO"],
      ["صح", "خطأ"],
      ["אמת", "שקר"],
      ["真", "偽"],
      ["真", "假"],
    ], async ([yes, no]) => {
      const service = createService();
      await readReport(
        await sendImport(
          service,
          `userEmail,subscribed\nann@example.com,${yes}\nbob@example.com,${no}\n`,
        ),
      );
      assertEquals(await stored(service.storage), [
        "ann@example.com null true import",
        "bob@example.com null false import",
      ]);
    });
  });

  it("has nobody subscribed by a word that is named for true and for false", async () => {
    const service = createService();
    const text = "userEmail,subscribed\nann@example.com,Left\nbob@example.com,active\n";
    const query = "?true=active,left&false=left";
    const { refused } = await readReport(await sendImport(service, text, { query }));
    assertStringIncludes(
      `${refused[0].detail}`,
      'is "Left", which is named for true and for false',
    );
    assertEquals(await stored(service.storage), ["bob@example.com null true import"]);
  });

  it("is any sheet whose columns are named, and is refused with the headings that it has", async () => {
    const text = 'E-Mail,"Name, full",Aktiv\nann@example.com,Ann,WAHR\nbob@example.com,,FALSCH\n';
    const columns = (text: string) => `?columns=${encodeURIComponent(text)}`;
    const service = createService();
    const query = columns("userEmail=e-mail,userName=Name, full,subscribed=Aktiv");
    await readReport(await sendImport(service, text, { query }));
    assertEquals(await stored(service.storage), [
      "ann@example.com Ann true import",
      "bob@example.com null false import",
    ]);
    const plain = "E-Mail,Name\nann@example.com,Ann\n";
    const other = createService();
    const more = "userEmail,subscribed,label,place\nann@example.com,true,x,Ulm\n";
    await readReport(await sendImport(other, more));
    assertEquals(await stored(other.storage), ["ann@example.com null true import"]);
    const all = createService();
    const said = `${columns("userEmail=E-Mail,userName=Name")}&state=subscribed`;
    await readReport(await sendImport(all, plain, { query: said }));
    assertEquals(await stored(all.storage), ["ann@example.com Ann true import"]);
    await forEachRow([
      [text, columns("userEmail=Mail"), 'no column "Mail"; it has "E-Mail", "Name, full", "Aktiv"'],
      [plain, columns("userEmail=E-Mail"), "no column subscribed; it has"],
      [plain, "", 'by columns (--columns userEmail=HEADING); it has "E-Mail", "Name"'],
      [text, `${columns("userEmail=E-Mail,subscribed=Aktiv")}&state=subscribed`, "state does not"],
      [text, `${columns("userEmail=E-Mail")}&format=keila`, "columns does not apply to a list of"],
      [text, "?true=WAHR&format=ghost", "true does not apply to a list of Ghost"],
    ], async ([body, query, detail]) => {
      const response = await sendImport(createService(), body, { query });
      assertStringIncludes((await assertProblem(response, 400, "malformed_body")).detail, detail);
    });
  });

  it("of Mailchimp is known in the languages that it exports, and says what it has in others", async () => {
    await forEachRow([
      ["E-Mail-Adresse", "Vorname", "Nachname"],
      ["Dirección de correo electrónico", "Nombre", "Apellidos"],
      ["Adresse e-mail", "Prénom", "Nom"],
      ["Indirizzo e-mail", "Nome", "Cognome"],
      ["Endereço de e-mail", "Nome", "Sobrenome"],
    ], async ([email, first, last]) => {
      const service = createService();
      const text =
        `"${email}",${first},${last},OPTIN_TIME\nann@example.com,Ann,Lee,2021-05-05 08:00:00\n`;
      await readReport(await sendImport(service, text, { query: "?state=subscribed" }));
      assertEquals(await stored(service.storage), ["ann@example.com Ann Lee true import"]);
    });
    const response = await sendImport(createService(), "Sähköposti,OPTIN_TIME\n");
    const { detail } = await assertProblem(response, 400, "malformed_body");
    assertStringIncludes(detail, 'in no language that is known; it has "Sähköposti", "OPTIN_TIME"');
  });

  it("says why it can't tell who is subscribed, and what to do", async () => {
    const [listmonk] = (await importFile(createService(), "listmonk.csv")).refused;
    assertStringIncludes(`${listmonk.detail}`, "--list-status confirmed");
    const [mailchimp] = (await importFile(createService(), "mailchimp.csv")).refused;
    assertEquals(mailchimp.field, "subscribed");
    assertStringIncludes(`${mailchimp.detail}`, "--state subscribed");
  });

  it("brings the times along at which people came", async () => {
    const service = createService();
    await importFile(service, "listmonk.csv", "?listStatus=confirmed");
    const { records: list } = await listSubscriptions(service.storage, { limit: 10 });
    assertEquals(list.map(({ createdAt }) => createdAt), [
      "2023-03-28T08:42:55.123Z",
      "2023-03-28T08:42:55.000Z",
      "2023-03-29T00:00:00.000Z",
    ]);
  });

  it("has its times and its evidence in the history of a consent", async () => {
    const service = createService();
    const historyOf = async (name: string) =>
      (await service.call("GET", `changelogs/subscribers/${name}@example.com`)).history;
    await importFile(service, "mailchimp.csv", "?state=subscribed");
    await importFile(service, "mailchimp_unsubscribed.csv", "?state=unsubscribed");
    const common = { source: "import", keyId: "operator" };
    const evidence = { OPTIN_TIME: "2021-05-05 08:00:00", OPTIN_IP: "203.0.113.7" };
    const CONFIRM_TIME = "2021-05-05 08:03:10";
    assertEquals(await historyOf("ann"), [
      {
        at: "2021-05-05T08:03:10.000Z",
        subscribed: true,
        ...common,
        evidence: { ...evidence, CONFIRM_TIME },
      },
    ]);
    assertEquals(await historyOf("bob"), [{
      ...{ at: "2015-03-16T14:40:47.000Z", subscribed: true, ...common },
      evidence: { CONFIRM_TIME: "2015-03-16 14:40:47" },
    }]);
    assertEquals(await historyOf("cat"), [{
      ...{ at: "2022-02-02T12:00:00.000Z", subscribed: false, ...common },
      evidence: { ...evidence, OPTIN_IP: "203.0.113.9", CONFIRM_TIME },
    }]);
  });

  it("is refused row by row where a time can't be read", async () => {
    const service = createService();
    const text = "email,created_at\nann@example.com,3/4/2025\nben@example.com,2025-04-03\n";
    const { refused, counts } = await readReport(await sendImport(service, text));
    assertEquals(refused.map(({ line, field, code }) => [line, field, code]), [
      [2, "createdAt", "invalid_value"],
    ]);
    assertEquals([counts.added, counts.refused], [1, 1]);
  });

  it("has the columns named that are not used", async () => {
    const service = createService();
    const text = "userEmail,Company,subscribed,Notes\nann@example.com,Acme,true,x\n";
    for (const query of ["?dryRun", ""]) {
      const { unusedColumns } = await readReport(await sendImport(service, text, { query }));
      assertEquals(unusedColumns, ["Company", "Notes"]);
    }
    const line = JSON.stringify({ userEmail: "ben@example.com", subscribed: true, company: "A" });
    const options = { type: "application/x-ndjson" };
    const { unusedColumns } = await readReport(await sendImport(service, `${line}\n`, options));
    assertEquals(unusedColumns, ["company"]);
  });

  it("is known by its header, and else by its name alone", async () => {
    const text = "Status,Email\nactive,ann@example.com\n";
    const service = createService();
    const unknown = await assertProblem(await sendImport(service, text), 400, "malformed_body");
    assertStringIncludes(unknown.detail, "export of another product (listmonk, Keila, Ghost");
    for (const name of ["keila", "KEILA"]) {
      await readReport(await sendImport(service, text, { query: `?format=${name}` }));
    }
    assertEquals(await stored(service.storage), ["ann@example.com null true import"]);
  });

  it("is refused as a whole where its header or an option does not fit", () =>
    forEachRow([
      ["email,created_at,status\n", "", "the header has no column userEmail"],
      ["email,created_at,status\n", "?format=changes.page", 'the column "status", which lists of'],
      ["email,created_at,email\n", "", "the header has the column email twice"],
      [
        "email,created_at\n",
        "?state=unsubscribed",
        "state does not apply to a list of changes.page",
      ],
      ["email,created_at\n", "?listStatus=confirmed", "listStatus does not apply to a list of"],
      ["email\n", "?format=ghost", "no column subscribed_to_emails, which lists of Ghost have"],
    ], async ([header, query, detail]) => {
      const service = createService();
      const response = await sendImport(service, `${header}ann@example.com,,\n`, { query });
      assertStringIncludes((await assertProblem(response, 400, "malformed_body")).detail, detail);
      assertEquals(await stored(service.storage), []);
    }));

  it("is refused where its name is not known, or it is no CSV", () =>
    assertOutcomes(createService(), [
      ...["?format=acme", "?format=keila&state=left"].map((query, at) =>
        ["POST", `changelogs/subscribers/import${query}`, {
          headers: { "content-type": "text/csv" },
          body: "Email\n",
        }, `422 ${["format", "state"][at]}:invalid_value`] as const
      ),
      ["POST", "changelogs/subscribers/import?format=ghost", {
        headers: { "content-type": "application/x-ndjson" },
        body: "{}\n",
      }, "422 format:invalid_value"],
    ]));

  it("is told in a dry run, which shows what would be done on one screen", async () => {
    const { run } = createCommandLine();
    const rows = "x@example.com,,,,odd,\n".repeat(40);
    await withFile(
      `${new TextDecoder().decode(await readList("keila.csv"))}${rows}`,
      async (path) => {
        const { out, err } = await run(`subscribers import ${path} --dry-run`);
        const lines = err.trimEnd().split("\n");
        assertEquals([out, lines.length], ["", 13]);
        assertStringIncludes(lines[10], "… and 31 more refused rows");
        assertStringIncludes(lines[11], "a list of keila: 1 rows subscribe, 2 unsubscribe");
        assertStringIncludes(
          lines[12],
          "3 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 41 refus",
        );
      },
    );
  });

  it("has its options on the command line, too", async () => {
    const { run, storage } = createCommandLine();
    const path = new URL("mailchimp.csv", LISTS).pathname;
    await run(`subscribers import ${path} --format Mailchimp --state subscribed`);
    assertEquals((await stored(storage)).length, 2);
  });
});

describe("an import that was interrupted", () => {
  const HEADER_LINE = "uuid,email,name,attributes,status,created_at,updated_at\n";
  const rows = Array.from({ length: 1_000 }, (_, i) => {
    const status = ["enabled", "disabled", "blocklisted"][i % 7 % 3];
    // Some addresses occur twice, and the last row counts.
    return `${i},p${i % 900}@example.com,"Person ""${i}""",{},${status},2023-03-28,2024-01-02\n`;
  });
  const file = HEADER_LINE + rows.join("");
  const query = "?listStatus=confirmed";

  async function state({ storage }: TestService): Promise<unknown> {
    const { records: list } = await listSubscriptions(storage, { limit: 1_000 });
    return list.map((
      { userEmail, userName, subscribed, createdAt },
    ) => [userEmail, userName, subscribed, createdAt]);
  }

  it("ends in the same once it is run again, wherever it ended", async () => {
    const whole = createService();
    await readReport(await sendImport(whole, file, { query }));
    const expected = await state(whole);
    for (let tenth = 1; tenth < 10; tenth++) {
      const service = createService();
      const start = file.slice(0, Math.floor(file.length * tenth / 10));
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
        pull: (controller) => controller.error(new Error("The connection is gone")),
      });
      await (await sendImport(service, body, { query })).text();
      const { counts } = await readReport(await sendImport(service, file, { query }));
      assertEquals([counts.refused, await state(service)], [0, expected], `at ${tenth} tenths`);
    }
  });

  it("changes nothing when it is run once more", async () => {
    const service = createService();
    const short = HEADER_LINE + rows.slice(0, 900).join("");
    await readReport(await sendImport(service, short, { query }));
    const before = await listSubscriptions(service.storage, { limit: 1_000 });
    service.advance(60_000);
    await readReport(await sendImport(service, short, { query }));
    assertEquals(await listSubscriptions(service.storage, { limit: 1_000 }), before);
  });
});

describe("a time in a list", () => {
  it("is read as products write it, and not where it is ambiguous", () =>
    forEachRow([
      ["2023-03-28 08:42:55.123456789 +0530 IST", "2023-03-28T03:12:55.123Z"],
      ["2023-03-28 08:42:55 +0000 +0000", "2023-03-28T08:42:55.000Z"],
      ["2023-03-28T08:42:55.000Z", "2023-03-28T08:42:55.000Z"],
      ["2023-03-28 08:42:55", "2023-03-28T08:42:55.000Z"],
      ["2023-03-28 08:42:55+02", "2023-03-28T06:42:55.000Z"],
      ["2023-03-28 08:42", "2023-03-28T08:42:00.000Z"],
      ["2023-03-28", "2023-03-28T00:00:00.000Z"],
      ["3/4/2023 08:42", undefined],
      ["2023-02-30", undefined],
      ["", undefined],
    ], ([text, time]) => assertEquals(parseListTime(text!), time)));
});
