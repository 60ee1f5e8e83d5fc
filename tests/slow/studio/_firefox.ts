import { assert, assertEquals } from "@std/assert";
import { until } from "../../_support/waiting.ts";
import { launchFirefox, type Tab } from "../browser/_firefox.ts";
import { PROBES } from "../browser/_browser.ts";
import type { Served } from "./_studio.ts";

/** The keys without a letter, as WebDriver names them. */
const KEYS = { Enter: "\uE007", Escape: "\uE00C", Tab: "\uE004" } as const;

/** How long a person waits for the page, which shares its machine with other tests. */
const PATIENCE_MS = 60_000;

/** A CSS selector, or the role and the name of an element for those who can't see it. */
export type Target = string | readonly [role: string, name: string];

interface Located {
  readonly sharedId: string;
}

/** A person at the studio in Firefox, with a mouse and a keyboard. */
export interface Person {
  readonly tab: Tab;
  /** The number of presses since it was last set. */
  presses: number;
  /** Signs in with a key. */
  signIn(server: Served): Promise<void>;
  /** Opens a place by its address. */
  goTo(hash: string): Promise<void>;
  /** Presses an element once it is shown. */
  press(target: Target): Promise<void>;
  /** Presses keys one after another: letters, or the names of other keys. */
  strike(...keys: readonly (keyof typeof KEYS | string)[]): Promise<void>;
  /** Types where the focus is. Letters are no presses. */
  type(text: string): Promise<void>;
  /** Moves the focus to an element. */
  focus(selector: string): Promise<void>;
  /** Chooses files in a field of files, which may be hidden. */
  choose(selector: string, paths: readonly string[]): Promise<void>;
  /** Waits until an element is there. */
  find(target: Target): Promise<void>;
  /** Waits until a text is shown, or is no longer shown. */
  see(text: string, isThere?: boolean): Promise<void>;
  /** Waits until an expression of the page has a value. */
  expect(expression: string, value: unknown): Promise<void>;
  back(): Promise<void>;
  reload(): Promise<void>;
}

/** Starts Firefox. Its disposal fails if there was a message on its console. */
export async function openFirefox(): Promise<Person & AsyncDisposable> {
  const firefox = await launchFirefox();
  const { tab } = firefox;

  async function locate(target: Target): Promise<Located> {
    const locator = typeof target === "string"
      ? { type: "css", value: target }
      : { type: "accessibility", value: { role: target[0], name: target[1] } };
    let found: Located | undefined;
    await until(async () => {
      // While another page is loaded, there is none to look at.
      const { nodes } = await tab.send<{ nodes: readonly Located[] }>(
        "browsingContext.locateNodes",
        { locator },
      ).catch(() => ({ nodes: [] }));
      // A dialog stands at the end.
      found = nodes.at(-1);
      return found !== undefined;
    }, PATIENCE_MS).catch(() => assert(false, `There is no ${target}`));
    return found!;
  }

  async function act(type: "key" | "pointer", actions: readonly object[]): Promise<void> {
    await tab.send("input.performActions", { actions: [{ type, id: type, actions }] });
  }

  const holds = (expression: string) =>
    until(() => tab.evaluate<boolean>(expression).catch(() => false), PATIENCE_MS)
      .catch(async () => {
        const text = await tab.evaluate("document.body.innerText").catch(() => "");
        assert(false, `${expression} never held; the page says: ${text}`);
      });

  async function keys(values: readonly string[]): Promise<void> {
    await act(
      "key",
      values.flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]),
    );
  }

  const person: Person = {
    tab,
    presses: 0,
    async signIn({ url, key }) {
      await tab.open(`${url}/studio`);
      await person.find("main.alone input");
      const isFolded = "document.querySelector('main.alone summary') !== null";
      if (await tab.evaluate(isFolded)) await person.press("main.alone summary");
      await person.focus("input[type=password]");
      await person.type(key);
      await person.strike("Enter");
      await person.find("main[id] h1");
      await tab.evaluate(await Deno.readTextFile(PROBES));
      person.presses = 0;
    },
    async goTo(hash) {
      await tab.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
      await holds(`location.hash.startsWith(${JSON.stringify(hash)})`);
      await person.find("main:not([aria-busy]) h1");
    },
    async press(target) {
      const element = await locate(target);
      await tab.send("script.callFunction", {
        functionDeclaration: "(element) => element.scrollIntoView({ block: 'center' })",
        arguments: [element],
        target: { context: tab.context },
        awaitPromise: false,
      });
      await act("pointer", [
        { type: "pointerMove", x: 0, y: 0, origin: { type: "element", element } },
        { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 },
      ]);
      person.presses++;
    },
    async strike(...names) {
      await keys(names.map((name) => KEYS[name as keyof typeof KEYS] ?? name));
      person.presses += names.length;
    },
    type: (text) => keys([...text]),
    async focus(selector) {
      await locate(selector);
      await tab.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
    },
    async choose(selector, files) {
      await tab.send("input.setFiles", { element: await locate(selector), files });
    },
    async find(target) {
      await locate(target);
    },
    see: (text, isThere = true) =>
      holds(`document.body.innerText.includes(${JSON.stringify(text)}) === ${isThere}`),
    async expect(expression, value) {
      await holds(`${expression} === ${JSON.stringify(value)}`);
    },
    async back() {
      await tab.send("browsingContext.traverseHistory", { delta: -1 });
    },
    async reload() {
      await tab.send("browsingContext.reload", { wait: "complete" });
      await person.find("main[id] h1");
    },
  };
  return Object.assign(person, {
    async [Symbol.asyncDispose]() {
      await firefox[Symbol.asyncDispose]();
      assertEquals(firefox.messages, []);
    },
  });
}
