// A team works with ideas in Firefox, which has its own dialogs, selects, keys and history. A press
// is a click, or a key other than the letters that are typed.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { join } from "node:path";
import { openMemoryStorage } from "../../../mod.ts";
import { createPost } from "../../../services/posts/create.ts";
import { storeOf } from "../../../services/store.ts";
import { withFolder } from "../../_support/folder.ts";
import { PUBLIC_URL, startMailing } from "../../_support/mailing.ts";
import { until } from "../../_support/waiting.ts";
import { openFirefox, type Person } from "./_firefox.ts";
import { call, type Served, serveStudio } from "./_studio.ts";

const POSTS = "boards/ideas/posts";
const ANN = "ann@example.com";
const TEXT = "document.querySelector('textarea.body').value";
const ANSWER = "document.querySelector('.answer textarea').value";
const FOCUSED = "document.activeElement.textContent";

interface TestPost {
  readonly state: string;
  readonly status: string;
  readonly answer: string | null;
  readonly votes: number;
  readonly mergedInto: string | null;
  readonly entryId: string | null;
}

interface Place extends Served {
  /** The addresses that were mailed to. */
  mailed(): Promise<readonly string[]>;
}

function read(server: Served, postId: string): Promise<TestPost> {
  return call<TestPost>(server, "GET", `${POSTS}/${postId}`);
}

describe("the studio in Firefox", () => {
  let person: Awaited<ReturnType<typeof openFirefox>>;
  before(async () => {
    person = await openFirefox();
  });
  after(() => person[Symbol.asyncDispose]());

  /** Signs in at a service that mails, with two public ideas and a held one. */
  async function withIdeas(
    run: (person: Person, server: Place) => Promise<void>,
    { publicUrl }: { readonly publicUrl?: string } = { publicUrl: PUBLIC_URL },
  ): Promise<void> {
    const storage = openMemoryStorage();
    await using mailing = await startMailing({ storage, subscribers: [] });
    const { worker, clock } = mailing;
    await using server = serveStudio({ storage, worker, publicUrl, clock: clock.now });
    const board = { boardId: "ideas", name: "Ideas", visibility: "public", moderation: "all" };
    await call(server, "POST", "boards", board);
    await call(server, "POST", POSTS, { postId: "dark", title: "Dark mode" });
    await call(server, "POST", POSTS, { postId: "night", title: "Night colours" });
    const vote = { userEmail: ANN, vote: true, notify: true };
    await call(server, "PUT", `${POSTS}/dark/votes`, vote);
    const author = { userEmail: "ben@example.com", userName: null, notify: false };
    const idea = { boardId: "ideas", postId: "held", title: "Export as PDF", body: null, author };
    const at = new Date(clock.now()).toISOString();
    await createPost(storeOf(storage), { ...idea, keyId: null, at, source: "form" });
    await person.signIn(server);
    const mailed = async () => {
      for (let i = 0; i < 20; i++) await clock.tick(2_000);
      return mailing.recipients;
    };
    await run(person, { url: server.url, key: server.key, mailed });
  }

  it("finds and opens an idea by keyboard, and changes its status by two presses", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas?view=every");
      await person.focus("[type=search]");
      await person.type("dark");
      await person.expect("document.querySelectorAll('tbody tr').length", 1);
      await person.focus("tbody .title");
      await person.strike("Tab");
      assertMatch(await person.tab.evaluate("document.activeElement.ariaLabel"), /Dark mode/);
      person.presses = 0;
      await person.strike("p", "Enter");
      await person.see("Planned: Dark mode");
      assertEquals([(await read(server, "dark")).status, person.presses], ["planned", 2]);
      await person.press(["button", "Undo"]);
      await person.see("Undone: “Dark mode”");
      assertEquals((await read(server, "dark")).status, "open");
      await person.focus("tbody .title");
      await person.strike("Enter");
      await person.expect("document.querySelector('main h1').textContent", "Dark mode");
      await person.back();
      await person.expect("document.querySelector('[type=search]')?.value", "dark");
    }));

  it("approves by one press, and an undo holds the idea again", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas?view=held");
      await person.press(["button", "Approve: Export as PDF"]);
      await person.see("“Export as PDF” is public now");
      assertEquals([(await read(server, "held")).state, person.presses], ["public", 1]);
      await person.press(["button", "Undo"]);
      await person.see("Undone: “Export as PDF”");
      assertEquals((await read(server, "held")).state, "held");
      await person.focus("[data-idea] .title");
      await person.strike("a");
      await person.see("“Export as PDF” is public now");
    }));

  it("keeps an answer over a reload, shows it as readers see it, and mails it by three presses", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas/ideas/dark");
      await person.press(["button", "Answer"]);
      await person.expect("document.activeElement.localName", "textarea");
      await person.type("**Soon**, we hope.");
      await person.find(".preview strong");
      await person.reload();
      await person.see("These are your unsaved words.");
      await person.expect(ANSWER, "**Soon**, we hope.");
      person.presses = 1;
      await person.press(".answer [type=checkbox]");
      await person.press(["button", "Save and mail"]);
      await person.see("The answer is stored, and those who asked are mailed");
      await person.find(".answer > div > .rendered strong");
      assertEquals(person.presses, 3);
      assertEquals((await read(server, "dark")).answer, "**Soon**, we hope.");
      assertEquals(await server.mailed(), [ANN]);
    }));

  it("merges by four presses, and unmerges", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas/ideas/night");
      await person.press(["button", "More"]);
      await person.press(["button", "Merge"]);
      await person.type("dark");
      await person.press("dialog [name=other]");
      await person.see("“Dark mode” will have this many people, each counted once: 1");
      await person.press(["button", "Merge"]);
      await person.see("“Night colours” is merged into “Dark mode”");
      assertEquals([(await read(server, "night")).mergedInto, person.presses], ["dark", 4]);
      await person.goTo("#/ideas/ideas/dark");
      await person.press(["button", "Unmerge: Night colours"]);
      await person.press(["button", "Unmerge"]);
      await person.see("“Night colours” is unmerged");
      assertEquals((await read(server, "night")).mergedInto, null);
    }));

  it("adds a voter by two presses", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas/ideas/night");
      await person.press(["button", "Add a voter"]);
      await person.type("zoe@acme.example");
      await person.press(["button", "Add"]);
      await person.see("The vote of zoe@acme.example is added");
      await person.see("added by operator");
      assertEquals([(await read(server, "night")).votes, person.presses], [1, 2]);
    }));

  // A service that can mail also asks who gets it.
  it("ships an idea in a new entry by three presses, and brings pictures into it", () =>
    withIdeas(async (person, server) => {
      await person.goTo("#/ideas/ideas/dark");
      await person.press(["link", "Ship it in a new entry"]);
      await person.find(".ships a");
      await person.type("Night has come");
      await person.focus("textarea.body");
      await person.type("Dark, at last.\n\n");
      await person.tab.evaluate("probes.bringPictures('drop', [[60, 40]])");
      await person.press(["button", "Done"]);
      await person.expect(`/images\\/\\S+-60x40/.test(${TEXT})`, true);
      await person.see("Saved");
      await person.expect("document.querySelector('dialog')", null);
      person.presses = 1;
      await person.press(["button", "Publish"]);
      await person.press("dialog .actions .primary");
      await person.see("“Night has come” is published");
      assertEquals(person.presses, 3);
      await until(async () => (await read(server, "dark")).status === "shipped");
    }, {}));

  it("shows three rows of a sheet before they are imported", () =>
    withIdeas((person, server) =>
      withFolder(async (folder) => {
        const path = join(folder, "wishes.csv");
        const rows = ["One", "Two", "Three", "Four"].map((word) => `Idea ${word},${ANN},7\n`);
        await Deno.writeTextFile(path, `title,Author email,Upvotes\n${rows.join("")}`);
        await person.goTo("#/boards/ideas/import");
        await person.choose("#file", [path]);
        await person.press(["button", "Check"]);
        await person.see("Nothing is stored yet.");
        await person.see("The first rows");
        await person.see("Idea Three");
        await person.see("Idea Four", false);
        await person.press(["button", "Import now"]);
        await person.find(["heading", "Imported"]);
        type Found = { readonly data: readonly unknown[] };
        assertEquals((await call<Found>(server, "GET", "posts?q=idea")).data.length, 4);
      })
    ));

  it("asks at Escape and Back before typed words are lost, and closes what has none", () =>
    withIdeas(async (person) => {
      await person.goTo("#/boards");
      for (const leave of [() => person.strike("Escape"), () => person.back()]) {
        await person.press(["button", "New board"]);
        await person.type("Ten minutes");
        await leave();
        await person.see("what you have typed here is lost");
        await person.press(["button", "Go on"]);
        await person.expect("document.querySelector('dialog input').value", "Ten minutes");
        await leave();
        await person.press(["button", "Discard"]);
        await person.expect("document.querySelector('dialog')", null);
        await person.press(["button", "New board"]);
        await person.find("dialog input");
        await leave();
        await person.expect("document.querySelector('dialog')", null);
        await person.expect(FOCUSED, "New board");
        assert((await person.tab.evaluate<string>("location.hash")).startsWith("#/boards"));
      }
    }));
});
