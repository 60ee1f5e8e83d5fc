import { assertEquals, assertMatch } from "@std/assert";
import { it } from "@std/testing/bdd";
import type { Page } from "playwright-core";
import { until } from "../../_support/waiting.ts";
import { call, describeStudio, goTo, openStudio } from "./_studio.ts";

const ID = /images\/[0-9a-f]+-\d+x\d+\.(?:png|jpeg|jpg|gif|webp)/;

/** Pastes or drops pictures like a person. The page draws them. */
async function bring(
  page: Page,
  event: "paste" | "drop",
  sizes: readonly (readonly [width: number, height: number, type?: string])[],
): Promise<void> {
  await page.evaluate(`probes.bringPictures(${JSON.stringify(event)}, ${JSON.stringify(sizes)})`);
}

describeStudio("a picture in the studio", {
  storages: ["a folder"],
  publicUrl: "https://example.com",
}, (server) => {
  async function begin(page: Page, title: string): Promise<void> {
    await goTo(page, "#/entries/new");
    await page.getByLabel("Title").fill(title);
    await page.getByLabel("Text").fill("See:\n\n");
  }

  const textOf = (page: Page) => page.getByLabel("Text").inputValue();

  it("is pasted, made narrower where it is wide, and asked what it shows", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Pasted");
    await bring(page, "paste", [[2400, 600]]);
    await page.getByRole("dialog").getByLabel("What the picture shows").fill("The new [menu]");
    await page.getByRole("button", { name: "Done" }).click();
    await until(async () => ID.test(await textOf(page)));
    assertMatch(
      await textOf(page),
      /^See:\n\n!\[The new \\\[menu\\\]\]\(images\/\S+-1600x400\.png\)\n$/,
    );
    const shown = page.frameLocator("iframe").locator("img[alt='The new [menu]']");
    // The picture comes from this server, although its public address is another.
    await shown.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
    await page.getByText("Saved", { exact: true }).waitFor();
  });

  it("is taken with others at once when they are dropped, and without words where none are given", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Dropped");
    await bring(page, "drop", [[300, 200], [200, 300, "image/jpeg"]]);
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await until(async () => ID.test(await textOf(page)));
    const text = await textOf(page);
    assertEquals(text.match(new RegExp(`!\\[\\]\\(${ID.source}\\)`, "g"))?.length, 2, text);
  });

  it("is chosen from a folder or a phone, and refused where it is none", async () => {
    await using studio = await openStudio({ width: 390 });
    const page = await studio.open(server.url, server.key);
    await begin(page, "Chosen");
    const choosing = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Picture" }).click();
    const buffer = await page.screenshot({ clip: { x: 0, y: 0, width: 90, height: 60 } });
    await (await choosing).setFiles([
      { name: "a.png", mimeType: "image/png", buffer },
      { name: "b.png", mimeType: "image/png", buffer: buffer.subarray(0, 40) },
    ]);
    await page.getByText("b.png: only pictures in PNG").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await until(async () => ID.test(await textOf(page)));
  });

  it("waits while there is no connection, stands where it was pasted, and is taken back by one undo", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Offline");
    await page.getByText("Saved", { exact: true }).waitFor();
    await studio.context.setOffline(true);
    await bring(page, "paste", [[300, 200], [310, 200]]);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What the picture shows: shot-0.png").fill("One");
    await dialog.getByRole("button", { name: "Done" }).click();
    // The upload goes on in the background once the person agrees.
    await page.keyboard.press("Escape");
    await dialog.getByText("This is still being carried out.").waitFor();
    await dialog.getByRole("button", { name: "Close anyway" }).click();
    await page.getByText("Picture 0 %").waitFor();
    await page.getByLabel("Text").press("End");
    await page.keyboard.type("After");
    assertEquals(await textOf(page), "See:\n\nAfter");
    await studio.context.setOffline(false);
    await page.getByText("Picture 0 %").waitFor({ state: "detached" });
    await page.frameLocator("iframe").locator("img[alt='One']").waitFor();
    assertMatch(
      await textOf(page),
      /^See:\n\n!\[One\]\(images\/\S+-300x200\.png\)\n!\[\]\(images\/\S+-310x200\.png\)\n\nAfter$/,
    );
    await page.keyboard.press("Control+z");
    assertEquals(await textOf(page), "See:\n\nAfter");
  });

  it("is white, and not black, where one sees through it and it becomes a JPEG", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Transparent");
    await bring(page, "drop", [[2400, 600, "image/webp"]]);
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    const shown = page.frameLocator("iframe").locator("img[src$='-1600x400.jpg']");
    await shown.waitFor();
    assertEquals(await page.evaluate("probes.lastPixelOf('iframe', 'img')"), [255, 255, 255, 255]);
  });

  it("is not taken where somebody cancels, and not kept", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Cancelled");
    const sent = page.waitForResponse((response) => response.status() === 201);
    await bring(page, "drop", [[333, 200]]);
    await sent;
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    assertEquals(await textOf(page), "See:\n\n");
    const stored = async () =>
      (await call<{ data: { width: number }[] }>(server, "GET", "changelogs/images")).data;
    await until(async () => (await stored()).every(({ width }) => width !== 333));
  });

  it("is given up while it is on its way", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Given up");
    await studio.context.setOffline(true);
    await bring(page, "drop", [[300, 200]]);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close anyway" }).click();
    await page.getByRole("status").getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Picture 0 %").waitFor({ state: "detached" });
    await studio.context.setOffline(false);
    assertEquals(await textOf(page), "See:\n\n");
  });

  it("leaves the caret behind it, and empty lines around it, wherever it is put", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Within");
    await page.getByLabel("Text").fill("Before after\n- item");
    await page.evaluate("document.querySelector('.body').setSelectionRange(6, 6)");
    await bring(page, "paste", [[300, 200]]);
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.keyboard.type("HERE");
    assertMatch(
      await textOf(page),
      /^Before\n\n!\[\]\(images\/\S+\.png\)\n\nHERE after\n- item$/,
    );
  });

  it("is asked about by those who leave while it is on its way", async () => {
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await begin(page, "Left");
    await page.getByText("Saved", { exact: true }).waitFor();
    await studio.context.setOffline(true);
    await bring(page, "paste", [[300, 200]]);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Close anyway" }).click();
    await page.getByRole("link", { name: "Boards" }).click();
    await dialog.getByText("A picture is still being sent.").waitFor();
    await dialog.getByRole("button", { name: "Stay" }).click();
    assertMatch(page.url(), /#\/entries\/draft-/);
    await studio.context.setOffline(false);
    await page.frameLocator("iframe").locator("img").waitFor();
    assertMatch(await textOf(page), ID);
  });
});
