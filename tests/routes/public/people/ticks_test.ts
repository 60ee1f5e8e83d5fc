import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { PENDING } from "../../../../model/proof/pending.ts";
import {
  BOARD,
  type FormService,
  hiddenFields,
  linkOf,
  OWN,
  PUBLIC_URL,
  startForms,
  tickedFields,
  VOTE_PATH,
} from "../../../_support/board_forms.ts";
import { forEachRow } from "../../../_support/rows.ts";
import { until } from "../../../_support/waiting.ts";

const ANN = "ann@example.com";
const NEW_PATH = `/boards/${BOARD}/new`;

/** Waits until so many forms wait for proof. */
async function waiting({ storage }: FormService, count: number): Promise<void> {
  await until(async () => (await storage.list(PENDING, { limit: 99 })).length === count);
}

describe("the page behind a mailed link", () => {
  it("has a tick for each thing, set for what its mail was sent for", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const body = "The letters are **small**.";
    await service.submit(NEW_PATH, { form: { userEmail: ANN, title: "Larger letters", body } });
    await waiting(service, 2);
    const page = await service.follow(link, "GET");
    assertEquals(page.text.match(/<input type="checkbox"/g)?.length, 2);
    assertStringIncludes(page.text, body);
    const done = await service.submit(link, { form: tickedFields(page.text) });
    assertEquals([done.status, await service.votes()], [200, 1]);
    assertEquals((await service.storage.list(PENDING, { limit: 9 })).length, 1);
  });

  it("confirms nothing when nothing is ticked", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    await service.submit(NEW_PATH, { form: { userEmail: ANN, title: "Larger letters" } });
    await waiting(service, 2);
    const page = await service.follow(link, "GET");
    await service.submit(link, { form: hiddenFields(page.text) });
    assertEquals(await service.votes(), 0);
  });

  it("leads on with the idea, its new number and its board", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    const { text } = await service.submit(link);
    assertMatch(text, /class="tally given"[^>]*aria-label="[^"]*Votes: 1"/);
    assertStringIncludes(text, `<a href="${PUBLIC_URL}${VOTE_PATH}">Dark mode</a>`);
    assertStringIncludes(text, `href="${PUBLIC_URL}/boards/${BOARD}"`);
  });
});

describe("of 21 forms of an address, the oldest", () => {
  it("goes for which the day's mail was not sent", async () => {
    await using service = await startForms();
    const link = await service.proofLink(ANN);
    for (let n = 1; n <= 20; n++) {
      const form = { userEmail: ANN, title: `Idea number ${n}` };
      await service.submit(NEW_PATH, { form });
      await waiting(service, Math.min(n + 1, 20));
      if (n === 20) {
        await until(async () => (await service.follow(link, "GET")).text.includes("number 20"));
      }
    }
    const { text } = await service.follow(link, "GET");
    assert(text.includes("Dark mode") && !text.includes("number 1<"), text);
    assert(text.includes("number 2<"));
  });
});

describe("a page after a form", () => {
  it("leads to the idea and its board when a mail is on its way", async () => {
    await using service = await startForms();
    const { text } = await service.submit(VOTE_PATH, { form: { userEmail: ANN } });
    assertStringIncludes(text, `<a href="${PUBLIC_URL}${VOTE_PATH}">Dark mode</a>`);
    assertStringIncludes(text, `href="${PUBLIC_URL}/boards/${BOARD}"`);
  });

  it("has the header of all pages, with the boards that there are", async () => {
    await using service = await startForms();
    const header = ({ text }: { text: string }) =>
      /<nav>[^]*?<\/nav>/.exec(text)![0].replace(/ aria-current="\w+"/, "")
        .replace(/"[^"]*(?:#sign-up|subscribe)"/, "");
    const pages = await Promise.all(
      ["/changelog", `/boards/${BOARD}`, "/me", "/roadmap", "/changelog/none"]
        .map((path) => service.read(path)),
    );
    const sent = await service.submit(VOTE_PATH, { form: { userEmail: ANN } });
    const [first, ...others] = [...pages, sent].map(header);
    for (const other of others) {
      assertEquals(other.replace("#sign-up", ""), first.replace("#sign-up", ""));
    }
    assertStringIncludes(first, "/roadmap");
  });

  it("can be opened again by its address", () =>
    forEachRow([
      ["/me/withdraw", "/me"],
      ["/me/stop", "/me"],
      ["/me/forget", "/me"],
      ["/forget-browser", "/me"],
    ], async ([path, target]) => {
      await using service = await startForms();
      const { status, headers } = await service.read(path);
      assertEquals([status, headers.get("location")], [303, `${PUBLIC_URL}${target}`]);
    }));

  it("leads back from the question before everything is deleted", async () => {
    await using service = await startForms();
    const headers = { cookie: await service.remember(ANN), ...OWN };
    const { text } = await service.submit("/me/forget", { headers });
    assertMatch(text, /href="[^"]*\/me" dir="auto">No, keep everything/);
  });
});

describe("one's own page", () => {
  it("shows ideas as rows with their numbers", async () => {
    await using service = await startForms();
    const link = linkOf(await service.mailed(VOTE_PATH, { userEmail: ANN }));
    await service.submit(link);
    const { text } = await service.follow(link, "GET");
    assertMatch(text, /You voted for[^]*class="tally given"[^]*Dark mode/);
  });
});

describe("an idea that is similar to a new one", () => {
  it("opens in a tab of its own, so that what was typed stays", async () => {
    await using service = await startForms();
    const { text } = await service.read(`${NEW_PATH}?title=Dark+mode`);
    assertMatch(text, /<h2 dir="auto"><a href="[^"]*" target="_blank">Dark mode/);
  });
});
