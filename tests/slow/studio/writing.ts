import { assertEquals, assertStringIncludes } from "@std/assert";
import { it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { withFolder } from "../../_support/folder.ts";
import { startProcess, startServer, waitUntilServing } from "../../_support/process.ts";
import { startSmtpServer } from "../../_support/smtp_server.ts";
import {
  call,
  describeStudio,
  type Entry,
  goTo,
  openStudio,
  type Served,
  type Studio,
} from "./_studio.ts";

describeStudio("writing in the studio", { storages: ["a database"] }, (server) => {
  const open = (studio: Studio) => studio.open(server.url, server.key);

  it("leads from the printed key to a published and mailed entry", async () => {
    await using relay = await startSmtpServer({});
    await using server = await startServer([
      ...["--public-url", "http://127.0.0.1:1", "--mail", `smtp://127.0.0.1:${relay.port}?tls=off`],
      ...["--mail-from", "News <news@example.com>", "--mail-rate", "off"],
    ]);
    assertStringIncludes(server.stdout(), "as the first admin");
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await page.getByRole("link", { name: "Subscribers", exact: true }).click();
    for (const name of ["ann", "bob"]) {
      await page.getByRole("button", { name: "Add" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("E-mail address").fill(`${name}@example.com`);
      await dialog.getByRole("button", { name: "Add" }).click();
      await page.getByRole("link", { name: `${name}@example.com` }).waitFor();
    }
    await page.getByRole("link", { name: "Entries" }).click();
    await page.getByRole("link", { name: "New entry" }).first().click();
    await page.getByLabel("Title").fill("Dark mode");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Press ");
    await page.keyboard.press("Control+b");
    await page.keyboard.type("D");
    const preview = page.frameLocator("iframe");
    await preview.locator("strong", { hasText: "D" }).waitFor();
    await page.getByText("Saved", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByLabel("Mail it to subscribers: 2").check();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    await page.getByRole("heading", { name: "“Dark mode” is published" }).waitFor();
    const focused = await page.evaluate<string>("document.activeElement.textContent");
    assertEquals(focused, "“Dark mode” is published");
    await page.locator(".moment").getByText("Recipients: subscribers: 2").waitFor();
    assertEquals(new URL(page.url()).hash, "#/entries/dark-mode");
    await page.locator(".delivery .pill.done").waitFor();
    assertEquals(relay.received.map(({ to }) => to).sort(), ["ann@example.com", "bob@example.com"]);
    assertStringIncludes(relay.received[0].message, "Dark mode");
  });

  /** Creates a draft through the API, and returns the address of its editor. */
  async function write(title: string, body = "First\n\nSecond"): Promise<string> {
    const entryId = title.toLowerCase().replaceAll(" ", "-");
    await call(server, "POST", "changelogs/entries", { entryId, title, body });
    return `#/entries/${entryId}`;
  }

  it("shows what somebody else has stored meanwhile, and loses the words of nobody", async () => {
    const place = await write("Two people");
    await using annas = await openStudio();
    await using bobs = await openStudio();
    const [ann, bob] = [await open(annas), await open(bobs)];
    for (const page of [ann, bob]) await goTo(page, place);
    await ann.getByLabel("Text").fill("Ann was here");
    await ann.getByText("Saved", { exact: true }).waitFor();
    await bob.getByLabel("Text").fill("Bob was here");
    await bob.getByRole("region", { name: "Somebody else" }).getByText("Ann was here").waitFor();
    await bob.getByRole("button", { name: "Save mine as a new draft" }).click();
    await bob.getByText("Saved as a new draft").waitFor();
    assertEquals(await bob.getByLabel("Text").inputValue(), "Ann was here");
    const { data } = await call<{ data: Entry[] }>(server, "GET", "changelogs/entries?limit=2");
    const bodies = data.map(({ body }) => body);
    assertEquals(bodies.sort(), ["Ann was here", "Bob was here"]);
  });

  it("puts changes of different fields together", async () => {
    const place = await write("Two fields");
    await using annas = await openStudio();
    await using bobs = await openStudio();
    const [ann, bob] = [await open(annas), await open(bobs)];
    for (const page of [ann, bob]) await goTo(page, place);
    await ann.getByLabel("Title").fill("Three fields");
    await ann.getByText("Saved", { exact: true }).waitFor();
    await bob.getByLabel("Labels").fill("new");
    await bob.getByText("Saved", { exact: true }).waitFor();
    assertEquals(await bob.getByLabel("Title").inputValue(), "Three fields");
    const { title, labels } = await call(server, "GET", "changelogs/entries/two-fields");
    assertEquals([title, labels], ["Three fields", ["new"]]);
  });

  it("keeps words without a connection, over a closed tab, and saves them once it is back", async () => {
    const place = await write("Offline");
    await using studio = await openStudio();
    const page = await open(studio);
    await goTo(page, place);
    await studio.context.setOffline(true);
    await page.getByLabel("Text").fill("Written on a train");
    await page.getByText("Not connected: kept in this browser").waitFor();
    await page.close();
    await studio.context.setOffline(false);
    const again = await open(studio);
    await goTo(again, place);
    await again.getByText("Saved", { exact: true }).waitFor();
    assertEquals(await again.getByLabel("Text").inputValue(), "Written on a train");
    const { body } = await call(server, "GET", "changelogs/entries/offline");
    assertEquals(body, "Written on a train");
    await again.getByLabel("Text").fill("Never sent");
    await studio.context.setOffline(true);
    await again.getByLabel("Text").fill("Sent by itself");
    await again.getByText("Not connected").waitFor();
    await studio.context.setOffline(false);
    await again.getByText("Saved", { exact: true }).waitFor();
  });

  it("saves by itself once a server is back that was started again", () =>
    withFolder(async (folder) => {
      const start = async (port: number, key?: string) =>
        await waitUntilServing(
          startProcess(["serve", "--storage", `file:${folder}`, "--port", `${port}`]),
          key,
        );
      await using studio = await openStudio();
      let first: Served;
      let page: Page;
      {
        await using server = first = await start(0);
        page = await studio.open(server.url, server.key);
        await goTo(page, "#/entries/new");
        await page.getByLabel("Title").fill("Restart");
        await page.getByLabel("Text").fill("Before");
        await page.getByText("Saved", { exact: true }).waitFor();
      }
      await page.getByLabel("Text").fill("While it was away");
      await page.getByText("Not connected: kept in this browser").waitFor();
      await using server = await start(Number(new URL(first.url).port), first.key);
      await page.getByText("Saved", { exact: true }).waitFor();
      const query = "changelogs/entries?q=Restart";
      const { data } = await call<{ data: Entry[] }>(server, "GET", query);
      assertEquals(data.map(({ body }) => body), ["While it was away"]);
    }));

  it("keeps words over a closed tab whose entry somebody else changed or deleted", async () => {
    const place = await write("Gone");
    await using studio = await openStudio();
    const leaveWith = async (text: string) => {
      const page = await open(studio);
      await goTo(page, place);
      await studio.context.setOffline(true);
      await page.getByLabel("Text").fill(text);
      await page.getByText("Not connected: kept in this browser").waitFor();
      await page.close();
      await studio.context.setOffline(false);
    };
    await leaveWith("Mine");
    await call(server, "PATCH", "changelogs/entries/gone", { body: "Theirs" });
    const page = await open(studio);
    for (const _ of [1, 2]) {
      await goTo(page, place);
      await page.getByRole("region", { name: "Somebody else" }).getByText("Theirs", { exact: true })
        .waitFor();
      await goTo(page, "#/entries");
    }
    await goTo(page, place);
    await page.getByRole("button", { name: "Save mine", exact: true }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    assertEquals((await call(server, "GET", "changelogs/entries/gone")).body, "Mine");
    await goTo(page, "#/entries");
    await leaveWith("Mine, still");
    await call(server, "DELETE", "changelogs/entries/gone");
    await goTo(page, place);
    await page.getByRole("alert").getByText("Somebody has deleted this entry.").waitFor();
    assertEquals(
      (await call<{ data: unknown[] }>(server, "GET", "changelogs/entries?q=still")).data,
      [],
    );
    await page.getByRole("button", { name: "Save mine as a new draft" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const { data } = await call<{ data: Entry[] }>(server, "GET", "changelogs/entries?q=still");
    assertEquals(data.map(({ body }) => body), ["Mine, still"]);
  });

  it("keeps a new entry that was never saved", async () => {
    await using studio = await openStudio();
    const page = await open(studio);
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill("Only a title");
    await page.close();
    const again = await open(studio);
    await goTo(again, "#/entries/new");
    assertEquals(await again.getByLabel("Title").inputValue(), "Only a title");
    await again.getByRole("button", { name: "Discard" }).click();
    assertEquals(await again.getByLabel("Title").inputValue(), "");
  });

  it("shows readers nothing of a published entry before it is saved", async () => {
    const place = await write("Live");
    await call(server, "POST", "changelogs/entries/live/publish", { notify: false });
    await using studio = await openStudio();
    const page = await open(studio);
    await goTo(page, place);
    await page.getByLabel("Text").fill("Better");
    await page.getByText("Not saved: readers see it once you save").waitFor();
    await page.reload();
    assertEquals(await page.getByLabel("Text").inputValue(), "Better");
    await page.keyboard.press("Control+s");
    await page.getByText("Saved", { exact: true }).waitFor();
    assertEquals((await call(server, "GET", "changelogs/entries/live")).body, "Better");
  });

  it("marks what is selected, and takes marks away, by keyboard", async () => {
    const place = await write("Marks", "a word");
    await using studio = await openStudio();
    const page = await open(studio);
    await goTo(page, place);
    const text = page.getByLabel("Text");
    await text.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("Control+Shift+ArrowLeft");
    const rows = [["b", "a **word**"], ["b", "a word"], ["i", "a *word*"], ["i", "a word"]];
    for (const [key, value] of rows) {
      await page.keyboard.press(`Control+${key}`);
      assertEquals(await text.inputValue(), value);
    }
    await page.keyboard.press("Control+k");
    await page.keyboard.type("https://example.com");
    assertEquals(await text.inputValue(), "a [word](https://example.com)");
  });
});
