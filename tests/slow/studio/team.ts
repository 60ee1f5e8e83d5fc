import { assertEquals, assertMatch } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { startServer } from "../../_support/process.ts";
import { startSmtpServer } from "../../_support/smtp_server.ts";
import { until } from "../../_support/waiting.ts";
import { assertAccessible, call, closeBrowser, openStudio } from "./_studio.ts";

/** Starts a server that mails to a relay of its own. */
async function startMailingServer() {
  const relay = await startSmtpServer({});
  const server = await startServer([
    ...["--public-url", "http://127.0.0.1:1", "--mail", `smtp://127.0.0.1:${relay.port}?tls=off`],
    ...["--mail-from", "News <news@example.com>", "--mail-rate", "off"],
  ]);
  return {
    relay,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await relay[Symbol.asyncDispose]();
    },
  };
}

/** Waits for the next mail to an address, and returns what a pattern finds in it. */
async function findInMail(
  relay: Awaited<ReturnType<typeof startSmtpServer>>,
  to: string,
  pattern: RegExp,
): Promise<string> {
  const find = () => {
    const mails = relay.received.filter((mail) => mail.to === to);
    const text = mails.at(-1)?.message.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
    return pattern.exec(text)?.[0];
  };
  await until(() => find() !== undefined);
  return find()!;
}

/** Opens the link of the first start, and makes Ann the first admin. */
async function makeFirstAdmin(
  page: Page,
  { url, stdout }: Awaited<ReturnType<typeof startServer>>,
): Promise<void> {
  const [link] = /\/studio\/in\/FIRST-\w+/.exec(stdout()) ?? [""];
  await page.goto(url + link);
  await page.getByLabel("Your name").fill("Ann");
  await page.getByLabel("Your e-mail address").fill("ann@example.com");
  await page.keyboard.press("Enter");
}

async function publish(page: Page, title: string): Promise<void> {
  await page.getByRole("link", { name: "Entries" }).click();
  await page.getByRole("link", { name: "New entry" }).first().click();
  await page.getByLabel("Title").fill(title);
  await page.keyboard.press("Enter");
  await page.keyboard.type("Words");
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Publish" }).click();
  await page.getByLabel("Mail nobody").check();
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByRole("heading", { name: `“${title}” is published` }).waitFor();
}

describe("the team in the studio", () => {
  after(closeBrowser);

  it("begins with the printed link, and a second person signs in by a code and publishes", async () => {
    await using started = await startMailingServer();
    const { server, relay } = started;
    const [link] = /\/studio\/in\/FIRST-\w+/.exec(server.stdout()) ?? [""];
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    await page.goto(server.url + link);
    await assertAccessible(page, "first link");
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Your e-mail address").fill("ann@example.com");
    await page.keyboard.press("Enter");
    await page.locator("main[id] h1").waitFor();
    await page.getByRole("link", { name: "Team" }).click();
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").fill("ben@example.com");
    await dialog.getByLabel("Name").fill("Ben");
    await dialog.getByRole("button", { name: "Invite" }).click();
    await page.getByText("The invitation is on its way by mail").waitFor();
    await assertAccessible(page, "invited");
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("ben@example.com").waitFor();
    await assertAccessible(page, "team");
    const invitation = await findInMail(relay, "ben@example.com", /\/studio\/in\/\w+/);
    assertMatch(invitation, /\w{40}$/);

    await using other = await openStudio({ width: 390 });
    const second = await other.context.newPage();
    await second.goto(`${server.url}/studio`);
    await second.getByLabel("E-mail address").waitFor();
    await assertAccessible(second, "sign in");
    await second.getByLabel("E-mail address").fill("ben@example.com");
    await second.keyboard.press("Enter");
    await second.getByLabel("Code").waitFor();
    await assertAccessible(second, "code");
    await second.getByLabel("Code").fill("3333-3333");
    await second.keyboard.press("Enter");
    await second.getByText("This code is wrong").waitFor();
    await second.reload();
    const code = await findInMail(relay, "ben@example.com", /[0-9A-Z]{4}-[0-9A-Z]{4}/);
    await second.getByLabel("Code").fill(code.toLowerCase());
    await second.keyboard.press("Enter");
    await second.locator("main[id] h1").waitFor();
    await second.setViewportSize({ width: 1280, height: 900 });
    await publish(second, "By Ben");

    await page.getByRole("button", { name: "Sign out: Ben" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Ben is signed out").waitFor();
    await second.getByRole("link", { name: "Overview" }).click();
    await second.getByText("You were signed out").waitFor();
  });

  it("lets a member change the own name, and sign out everywhere", async () => {
    await using started = await startMailingServer();
    const { server } = started;
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    await makeFirstAdmin(page, server);
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByLabel("Name").fill("Anna");
    await assertAccessible(page, "account");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved").waitFor();
    const tab = await studio.context.newPage();
    await tab.goto(`${server.url}/studio`);
    await tab.locator("main[id]").waitFor();
    await page.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByLabel("E-mail address").waitFor();
    await tab.getByLabel("E-mail address").waitFor();
    assertEquals(await tab.locator("main[id]").count(), 0);
  });

  it("keeps the words of a removed member on the page that signs in, under the name", async () => {
    await using started = await startMailingServer();
    const { server } = started;
    await using studio = await openStudio();
    const page = await studio.context.newPage();
    await makeFirstAdmin(page, server);
    await page.getByRole("link", { name: "Entries" }).click();
    await page.getByRole("link", { name: "New entry" }).first().click();
    await page.getByLabel("Title").waitFor();
    const { data } = await call<{ data: { memberId: string }[] }>(server, "GET", "team");
    await call(server, "DELETE", `team/${data[0].memberId}`);
    await page.getByLabel("Title").fill("Not lost");
    await page.keyboard.press("Enter");
    await page.keyboard.type("Nor this");
    await page.getByRole("heading", { name: "Unsaved words of Ann" }).waitFor();
    await page.reload();
    assertMatch(await page.getByRole("textbox", { name: "Text" }).inputValue(), /Not lost\n\nNor/);
    await assertAccessible(page, "words of a removed member");
  });
});
