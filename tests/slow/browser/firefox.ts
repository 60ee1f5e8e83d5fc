// People use boards in Firefox, which keeps forms and shows pages in its own way.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { until } from "../../_support/waiting.ts";
import { ANN, BOARD, startBoard } from "./_board.ts";
import { type Firefox, launchFirefox, type Tab } from "./_firefox.ts";

const TYPED = "At night the white hurts. ".repeat(20);

function fill(tab: Tab, selector: string, text: string): Promise<void> {
  const [found, value] = [selector, text].map((part) => JSON.stringify(part));
  return tab.evaluate(`void (document.querySelector(${found}).value = ${value})`);
}

describe("a board in Firefox", () => {
  let firefox: Firefox;
  before(async () => {
    firefox = await launchFirefox();
  });
  after(() => firefox[Symbol.asyncDispose]());

  it("leads on from each page after a vote, until the vote counts", async () => {
    await using site = await startBoard("en");
    const { tab } = firefox;
    await tab.open(`${site.url}/dark-mode`);
    await fill(tab, ".vote input[name=userEmail]", ANN);
    await tab.press(".vote .quiet");
    assertEquals(
      await tab.evaluate("document.querySelector('h1').textContent"),
      "Look for our e-mail",
    );
    await tab.press(".note .button");
    assertEquals(await tab.evaluate("location.href"), site.url);
    await tab.open(await site.takeLink());
    await tab.press(".note button");
    const done = "document.querySelector('.note').innerText";
    assertMatch(await tab.evaluate<string>(done), /Thank you, it is confirmed\s+1\s+Dark mode/);
    await tab.press(".note h2 a");
    assertEquals(await tab.evaluate("location.href"), `${site.url}/dark-mode`);
    assertEquals(await site.votes(), 1);
  });

  it("knows the person of an app on all its pages, and comes back to the row", async () => {
    await using site = await startBoard("en");
    await site.add("letters", "Larger letters");
    const { tab } = firefox;
    await tab.open(await site.handOver(ANN, `/${BOARD}`));
    await tab.press(".tabs li:nth-child(2) a");
    await tab.press(".listed:has(#i-letters) button");
    assertMatch(await tab.evaluate("location.href"), /\/boards\/wishes\?status=open#i-letters$/);
    const row = "document.querySelector('.listed:has(#i-letters) .tally').className";
    assertEquals(await tab.evaluate(row), "tally given");
    await tab.open(`${site.publicUrl}/roadmap`);
    assertMatch(await tab.evaluate<string>("document.querySelector('.foot').innerText"), /ann@/);
  });

  it("keeps a long idea while its author looks at a similar one", async () => {
    await using site = await startBoard("en");
    const { tab } = firefox;
    await tab.open(`${site.url}/new?title=Dark+mode+at+night`);
    await fill(tab, "textarea[name=body]", TYPED);
    await tab.click(".listed h2 a");
    await until(async () => await firefox.count() === 2);
    assert((await tab.evaluate<string>("location.href")).includes("/new?title="));
    assertEquals(await tab.evaluate("document.querySelector('textarea').value"), TYPED);
  });
});
