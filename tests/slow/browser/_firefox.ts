// Drives Firefox by WebDriver BiDi, its remote protocol.

import { assert } from "@std/assert";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";

const FIREFOX = Deno.env.get("FIREFOX") ?? "/usr/bin/firefox-esr";
const DEADLINE_MS = 60_000;
const PREFERENCES = [
  'user_pref("remote.active-protocols", 1);',
  'user_pref("app.update.enabled", false);',
  'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
  'user_pref("toolkit.telemetry.enabled", false);',
].join("\n");

interface Message {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly method?: string;
  readonly message?: string;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly params?: { readonly context?: string; readonly level?: string; readonly text?: string };
}

/** A tab of Firefox. */
export interface Tab {
  /** Its name in the protocol. */
  readonly context: string;
  /** Opens an address, and waits until its page is complete. */
  open(url: string): Promise<void>;
  /** Returns the value of an expression, a text, a number or a boolean. */
  evaluate<T>(expression: string): Promise<T>;
  /** Clicks an element as a person does. */
  click(selector: string): Promise<void>;
  /** Clicks an element, and waits for the page that follows. */
  press(selector: string): Promise<void>;
  /** Sends a command of the protocol that is about this tab. */
  send<T>(method: string, params?: object): Promise<T>;
}

/** A running Firefox. */
export interface Firefox extends AsyncDisposable {
  readonly tab: Tab;
  /** The errors and warnings of scripts so far. */
  readonly messages: readonly string[];
  /** Returns the number of its tabs. */
  count(): Promise<number>;
}

/** Starts Firefox without a window, or says how to get it. */
export async function launchFirefox(): Promise<Firefox> {
  if (!existsSync(FIREFOX)) {
    throw new Error(
      `Cannot find a browser at ${FIREFOX}: install it (apt-get install -y firefox-esr), or name ` +
        "another in the variable FIREFOX",
    );
  }
  const profile = await Deno.makeTempDir({ prefix: "boardcast-firefox-" });
  await Deno.writeTextFile(`${profile}/user.js`, PREFERENCES);
  const child = new Deno.Command(FIREFOX, {
    args: ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"],
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const ended = child.status;
  // Other processes of Firefox end, and stop writing to the profile, soon after this one.
  const dispose = async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 20 });
  };
  try {
    const url = await inTime("Firefox to listen", readAddress(child.stderr));
    const socket = new WebSocket(`${url}/session`);
    await inTime("a connection to Firefox", opened(socket));
    return { ...await connect(socket), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function connect(socket: WebSocket): Promise<Omit<Firefox, symbol>> {
  const waiting = new Map<number, (message: Message) => void>();
  const loads = new Map<string, () => void>();
  const messages: string[] = [];
  let count = 0;
  socket.onmessage = ({ data }) => {
    const { params, ...message } = JSON.parse(data) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === "browsingContext.load") loads.get(`${params?.context}`)?.();
    else if (/^(?:error|warn)$/.test(`${params?.level}`)) messages.push(`${params?.text}`);
  };

  async function send<T>(method: string, params: unknown = {}): Promise<T> {
    const id = ++count;
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, message, result } = await inTime(method, answered);
    waiting.delete(id);
    assert(type === "success", `${method}: ${message}`);
    return result as T;
  }

  const contexts = async () =>
    (await send<{ contexts: { context: string }[] }>("browsingContext.getTree")).contexts;
  await send("session.new", { capabilities: {} });
  await send("session.subscribe", { events: ["browsingContext.load", "log.entryAdded"] });
  const [{ context }] = await contexts();

  async function evaluate<T>(expression: string): Promise<T> {
    const target = { context };
    const request = { expression, target, awaitPromise: true, userActivation: true };
    const { result, exceptionDetails } = await send<
      { result?: { value: T }; exceptionDetails?: { text: string } }
    >("script.evaluate", request);
    assert(exceptionDetails === undefined, exceptionDetails?.text);
    return result!.value;
  }

  async function click(selector: string): Promise<void> {
    await evaluate(`void document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  return {
    count: async () => (await contexts()).length,
    messages,
    tab: {
      context,
      evaluate,
      click,
      open: (url) => send("browsingContext.navigate", { context, url, wait: "complete" }),
      send: (method, params) => send(method, { context, ...params }),
      async press(selector) {
        const loaded = new Promise<void>((resolve) => loads.set(context, resolve));
        await click(selector);
        await inTime(`the page after ${selector}`, loaded);
      },
    },
  };
}

/** Reads the address at which Firefox takes commands from its first lines. */
async function readAddress(lines: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let text = "";
  for await (const part of lines.pipeThrough(new TextDecoderStream())) {
    text += part;
    const found = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text);
    if (found !== null) return found[1];
  }
  throw new Error(`Firefox has ended: ${text}`);
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve();
    socket.onerror = () => reject(new Error("Cannot connect to Firefox"));
  });
}

/** Waits for a result, and fails once that takes too long. */
async function inTime<T>(name: string, result: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited too long for ${name}`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
