// Moves the ideas of another product into a board and out of it, as a product person does.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { zip } from "../../_support/zip.ts";
import {
  assertAccessible,
  call,
  closeBrowser,
  eachScreen,
  goTo,
  openStudio,
  type Screen,
  type Served,
  serveStudio,
} from "./_studio.ts";

const IMPORT = "#/boards/ideas/import";
const HEADER = "number,title,description,created_at,created_by,votes_count,comments_count,status," +
  "responded_by,responded_at,response,original_number,original_title,tags\n";
const FIDER = HEADER +
  "1,Dark mode,At night,2024-01-02 03:04:05,Ann,12,0,planned,,,,,,\n" +
  "2,Printing,On paper,2024-01-03 03:04:05,Ben,3,0,Some day,,,,,,\n" +
  '3,"Export, please",As a file,2024-01-04 03:04:05,Cem,2,0,Some day,,,,,,\n' +
  "4,No,Too short,2024-01-05 03:04:05,Dee,1,0,open,,,,,,\n";

/** Opens the import into an empty board. */
async function withBoard(
  run: (page: Page, server: Served) => Promise<void>,
  { language, ...sitting }: Partial<Screen> = {},
): Promise<void> {
  await using server = serveStudio({ language, publicUrl: "http://127.0.0.1:1" });
  await call(server, "POST", "boards", { boardId: "ideas", name: "Ideas" });
  await using studio = await openStudio(sitting);
  const page = await studio.open(server.url, server.key);
  await goTo(page, IMPORT);
  await run(page, server);
}

async function choose(
  page: Page,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  const buffer = typeof content === "string" ? Buffer.from(content) : Buffer.from(content);
  await page.locator("#file").setInputFiles({ name, mimeType: "", buffer });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
}

/** Checks the file that was chosen, and returns the numbers that an import would have. */
async function check(page: Page, button = "Check"): Promise<Record<string, string>> {
  await press(page, button);
  await page.getByText("Nothing is stored yet.").waitFor();
  return await readNumbers(page);
}

async function importNow(page: Page): Promise<Record<string, string>> {
  await press(page, "Import now");
  await page.getByRole("heading", { name: "Imported" }).waitFor();
  return await readNumbers(page);
}

/** Returns the numbers that are not 0, by what stands for them. */
async function readNumbers(page: Page): Promise<Record<string, string>> {
  const numbers = await page.locator(".numbers div").allInnerTexts();
  const pairs = numbers.map((text) => text.split("\n") as [string, string]);
  return Object.fromEntries(pairs.filter(([, many]) => many !== "0"));
}

/** Returns the states and numbers of votes of the ideas, by their titles. */
async function readIdeas(server: Served): Promise<Record<string, string>> {
  type Page = {
    data: { title: string; status: string; votes: number; importedVotes: number }[];
  };
  const { data } = await call<Page>(server, "GET", "boards/ideas/posts?limit=100");
  return Object.fromEntries(
    data.map(({ title, status, votes, importedVotes }) => [
      title,
      `${status} ${votes}+${importedVotes}`,
    ]),
  );
}

async function download(page: Page, run: () => Promise<unknown>): Promise<string> {
  const [found] = await Promise.all([page.waitForEvent("download"), run()]);
  return await Deno.readTextFile(await found.path());
}

describe("an import of ideas in the studio", () => {
  after(closeBrowser);

  it("says what will come, asks what unknown states mean, and brings it once", () =>
    withBoard(async (page, server) => {
      await goTo(page, "#/boards/ideas");
      await page.getByRole("link", { name: "Import" }).click();
      await choose(page, "posts.csv", FIDER);
      assertEquals(await check(page), { "New ideas": "1", "Refused": "3" });
      await page.getByText("Columns that are not used: created_by").waitFor();
      await page.getByText("Unknown state: “Some day”").waitFor();
      await page.getByText("A title has 3 to 120 characters on one line.").waitFor();
      await page.getByLabel("Some day").selectOption("Under consideration");
      assertEquals(await check(page, "Check again"), { "New ideas": "3", "Refused": "1" });
      assertEquals(await page.getByLabel("Some day").inputValue(), "considering");
      assertEquals(await readIdeas(server), {});
      assertEquals(await importNow(page), { "New ideas": "3", "Refused": "1" });
      const text = await download(page, () => press(page, "Download refused rows"));
      assertStringIncludes(text, '"A title has 3 to 120 characters on one line.",4,No,Too short');
      assertEquals(await readIdeas(server), {
        "Dark mode": "planned 0+12",
        "Printing": "considering 0+3",
        "Export, please": "considering 0+2",
      });
      // The file of refused rows is mended, and chosen again.
      await choose(page, "mended.csv", text.replace(",No,", ",No more,"));
      assertEquals(await check(page), { "New ideas": "1" });
      await choose(page, "posts.csv", FIDER.replaceAll("Some day", "open"));
      assertEquals(await check(page), { "Unchanged": "3", "Refused": "1" });
      assertEquals(await page.getByRole("button", { name: "Import now" }).count(), 0);
      await goTo(page, "#/boards/ideas");
      await page.getByRole("link", { name: "Show" }).click();
      await page.getByRole("link", { name: "Printing" }).waitFor();
    }));

  it("takes any sheet once its columns are chosen, and a backup, but no workbook", () =>
    withBoard(async (page, server) => {
      const sheet = "Wish;How many;Who;Where it is\nDark mode;7;ann@example.com;Planned\n";
      await choose(page, "wishes.csv", sheet);
      await page.getByText("The columns of this file are not known.").waitFor();
      await press(page, "Check");
      await page.getByText("Fill this in").first().waitFor();
      await page.getByLabel("Title").selectOption("Wish");
      await page.getByLabel("Votes").selectOption("How many");
      await page.getByLabel("State").selectOption("Where it is");
      await page.getByLabel("Voter’s address").selectOption("Who");
      assertEquals(await check(page), { "New ideas": "1", "New votes": "1" });
      await importNow(page);
      assertEquals(await readIdeas(server), { "Dark mode": "planned 1+6" });
      const tables = {
        "posts.json": JSON.stringify([
          { id: 1, title: "Night colours", description: "", status: 0, number: 1, user_id: 7 },
        ]),
        "users.json": JSON.stringify([{ id: 7, name: "Ben", email: "ben@example.com" }]),
        "post_votes.json": JSON.stringify([{ post_id: 1, user_id: 7 }]),
      };
      await choose(page, "backup.zip", zip(tables));
      assertEquals(await check(page), { "New ideas": "1", "New votes": "1" });
      await importNow(page);
      assertEquals((await readIdeas(server))["Night colours"], "open 1+0");
      await choose(page, "ideas.xlsx", zip({ "xl/workbook.xml": "<workbook/>" }));
      await page.getByText("This file can’t be read as a list.").waitFor();
      assertEquals(await page.getByRole("button", { name: "Check" }).count(), 0);
    }));

  it("offers columns that are not used, shows what would come, and fills it later", () =>
    withBoard(async (page, server) => {
      const sheet = "title,Description,Author email,Upvotes\n" +
        ["One", "Two", "Three", "Four"].map((word) => `Idea ${word},At night,ann@example.com,7\n`)
          .join("");
      await choose(page, "wishes.csv", sheet);
      await page.getByText("Some columns of this file are not used.").waitFor();
      const column = (label: string) => page.getByLabel(label, { exact: true });
      assertEquals(await column("Title").inputValue(), "title");
      assertEquals(await column("Author’s address").inputValue(), "Author email");
      assertEquals(await column("Voter’s address").inputValue(), "");
      assertEquals(await column("Votes").inputValue(), "Upvotes");
      await column("Text").selectOption("");
      assertEquals(await check(page), { "New ideas": "4" });
      await page.getByText("Columns that are not used: Description").waitFor();
      const rows = page.getByRole("table", { name: "The first rows" }).locator("tbody tr");
      assertEquals(await rows.count(), 3);
      const first = await rows.first().innerText();
      for (const text of ["Idea One", "7", "ann@example.com"]) assertStringIncludes(first, text);
      await importNow(page);
      await choose(page, "wishes.csv", sheet);
      assertEquals(await column("Text").inputValue(), "Description");
      assertEquals(await check(page), { "Filled": "4" });
      assertEquals(await importNow(page), { "Filled": "4" });
      const path = "boards/ideas/posts?limit=100";
      type Ideas = { data: { body: string; importedVotes: number }[] };
      const { data } = await call<Ideas>(server, "GET", path);
      assertEquals(data.map(({ body, importedVotes }) => [body, importedVotes]), [
        ...Array(4).fill(["At night", 7]),
      ]);
    }));

  it("offers the columns of a known product that are not used, and keeps its own", () =>
    withBoard(async (page, server) => {
      const line = "1,Dark mode,At night,2024-01-02 03:04:05,ann@example.com,12,0,planned,,,,,,\n";
      await choose(page, "posts.csv", HEADER + line);
      await page.getByText("Some columns of this file are not used").waitFor();
      assertEquals(await page.locator("form").getByLabel("Title").count(), 0);
      await page.getByLabel("Author’s address").selectOption("created_by");
      await check(page);
      await page.locator("td").getByText("ann@example.com").waitFor();
      assertEquals(await importNow(page), { "New ideas": "1" });
      assertEquals(await readIdeas(server), { "Dark mode": "planned 0+12" });
    }));

  it("says that votes need their ideas first, and counts them after", () =>
    withBoard(async (page, server) => {
      const votes = "id,post_id,voter_email,source_type,created_at\n" +
        "v1,p1,ann@example.com,widget,2024-01-02T00:00:00Z\n";
      await choose(page, "votes.csv", votes);
      assertEquals(await check(page), { "Refused": "1" });
      await page.getByText("import the ideas first").waitFor();
      const posts =
        "id,title,content,status,tags,board,author_name,author_email,vote_count,created_at\n" +
        "p1,Dark mode,Text,under_review,,Ideas,Ann,ann@example.com,3,2024-01-01T00:00:00Z\n";
      await choose(page, "posts.csv", posts);
      await check(page);
      await importNow(page);
      await choose(page, "votes.csv", votes);
      assertEquals(await check(page), { "New votes": "1" });
      await importNow(page);
      assertEquals(await readIdeas(server), { "Dark mode": "considering 1+2" });
    }));

  it("takes out all with their votes, to come back elsewhere, or a table", () =>
    withBoard(async (page, server) => {
      await call(server, "POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
      const vote = { userEmail: "ann@example.com", vote: true, notify: true };
      await call(server, "PUT", "boards/ideas/posts/dark/votes", vote);
      await goTo(page, "#/boards/ideas");
      await press(page, "Export");
      const dialog = page.getByRole("dialog");
      const lines = await download(
        page,
        () => dialog.getByRole("button", { name: "Export" }).click(),
      );
      assertStringIncludes(lines, "ann@example.com");
      await dialog.waitFor({ state: "detached" });
      await press(page, "Export");
      await dialog.getByLabel("A table without voters").check();
      const table = await download(
        page,
        () => dialog.getByRole("button", { name: "Export" }).click(),
      );
      assert(table.startsWith("postId,") && !table.includes("ann@example.com"));
      await dialog.waitFor({ state: "detached" });
      await call(server, "POST", "boards", { boardId: "other", name: "Other" });
      await goTo(page, "#/boards/other/import");
      await choose(page, "ideas.ndjson", lines);
      await check(page);
      await page.getByText("An idea of another board has this identifier.").waitFor();
      await withBoard(async (page, other) => {
        await choose(page, "ideas.ndjson", lines);
        assertEquals(await check(page), { "New ideas": "1", "New votes": "1" });
        await importNow(page);
        assertEquals(await readIdeas(other), { "Dark mode": "open 1+0" });
      });
    }));

  it("forgets the check of another file, asks before it is left, and is found again", () =>
    withBoard(async (page, server) => {
      await choose(page, "posts.csv", FIDER);
      await check(page);
      await choose(
        page,
        "other.csv",
        `${HEADER}9,Other idea,,2024-01-02 03:04:05,A,1,0,open,,,,,,\n`,
      );
      await page.getByRole("button", { name: "Import now" }).waitFor({ state: "detached" });
      await check(page);
      const [begun, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route(/\/posts\/import\?/, async (route) => {
        begun.resolve();
        await free.promise;
        await route.continue();
      });
      await press(page, "Import now");
      await begun.promise;
      for (const answer of ["Stay", "Leave"]) {
        await page.goBack();
        const dialog = page.getByRole("dialog");
        await dialog.getByText("The import goes on if you leave").waitFor();
        await dialog.getByRole("button", { name: answer }).click();
        await page.locator("dialog").waitFor({ state: "detached" });
        if (answer === "Stay") assert(page.url().endsWith(IMPORT));
      }
      await page.getByRole("heading", { name: "Overview" }).waitFor();
      free.resolve();
      await page.getByRole("status").getByText("Imported. New ideas: 1").waitFor();
      await page.getByRole("link", { name: "Show" }).click();
      await page.getByRole("heading", { name: "Imported" }).waitFor();
      assertEquals(await readIdeas(server), { "Other idea": "open 0+1" });
    }));

  eachScreen(
    "is used by touch and has nothing that axe finds",
    (screen) =>
      withBoard(async (page, server) => {
        await assertAccessible(page, "an empty import");
        await choose(page, "wishes.csv", "Wish,Where it is\nDark mode,Some day\n");
        await page.locator("form select").first().selectOption("Wish");
        await page.locator("form select").nth(2).selectOption("Where it is");
        await assertAccessible(page, "columns");
        await page.locator("form button.primary").first().tap();
        // A phone shows what the check has found.
        const seen = page.locator("[role=status] > h2");
        await seen.waitFor();
        const { y } = (await seen.boundingBox())!;
        assert(y > 0 && y < 900, `it stands at ${y}`);
        await page.locator(".statuses select").selectOption("open");
        await assertAccessible(page, "states");
        await page.locator(".statuses button.primary").tap();
        const next = page.locator("[role=status] > .actions button.primary");
        await next.tap();
        await page.locator("[role=status] > .actions a").waitFor();
        await assertAccessible(page, "imported");
        assertEquals(await readIdeas(server), { "Dark mode": "open 0+0" });
        await goTo(page, "#/boards/ideas");
        await assertAccessible(page, "the board");
        await page.locator(".head .actions button").first().tap();
        await page.getByRole("dialog").waitFor();
        await assertAccessible(page, "an export");
      }, screen),
  );
});
