import type { Mail } from "../../delivery/mail/mailer.ts";
import type { Storage } from "../../mod.ts";
import { linkOf, PUBLIC_URL, startSignUps } from "./sign_ups.ts";
import { until } from "./waiting.ts";

export const BOARD = "wishes";
export const POST_ID = "dark-mode";
export const VOTE_PATH = `/boards/${BOARD}/${POST_ID}`;
/** The headers of a form that a page of ours has sent. */
export const OWN = { "sec-fetch-site": "same-origin" };

interface FormRequest {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a service with a public board and a post on it. */
export async function startForms(
  { moderation = "none", ...options }: {
    readonly storage?: Storage;
    readonly moderation?: string;
    readonly rate?: number;
    readonly voteRetentionMs?: number | false;
  } = {},
) {
  const { rate = 1_000, ...rest } = options;
  const signUpRate = { requests: rate, windowSeconds: 3_600 };
  const service = startSignUps({ ...rest, signUpRate });
  await service.call("POST", "boards", {
    ...{ boardId: BOARD, name: "Wishes", visibility: "public", moderation },
  });
  await service.call("POST", `boards/${BOARD}/posts`, { postId: POST_ID, title: "Dark mode" });

  /** Sends a form, and returns its answer. */
  async function submit(path: string, { form = {}, headers = {} }: FormRequest = {}) {
    const response = await service.send("POST", path, { key: null, form, headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Sends a form, expects the page that announces a mail, and returns that mail. */
  async function mailed(path: string, form: Readonly<Record<string, string>>): Promise<Mail> {
    const count = service.mails.length;
    await submit(path, { form });
    await until(() => service.mails.length > count);
    return service.mails.at(-1)!;
  }

  return {
    ...service,
    submit,
    mailed,
    /** Reads a page, as a browser with a cookie does. */
    async read(path: string, headers: Readonly<Record<string, string>> = {}) {
      const response = await service.send("GET", path, { key: null, headers });
      return { status: response.status, text: await response.text(), headers: response.headers };
    },
    /** Returns whether an address is subscribed, and the source of that state. */
    async state(userEmail: string): Promise<string> {
      return (await service.read(userEmail)).split(" ").slice(0, 2).join(" ");
    },
    /** Returns the number of votes of a post. */
    async votes(postId: string = POST_ID): Promise<number> {
      return (await service.call<{ votes: number }>("GET", `boards/${BOARD}/posts/${postId}`))
        .votes;
    },
    /** Casts a vote, and returns the path of the link that confirms it. */
    async proofLink(userEmail: string): Promise<string> {
      return linkOf(await mailed(VOTE_PATH, { userEmail }));
    },
    /** Opens a page by an app's link; returns the answer and the cookie of the browser. */
    async handOver(userEmail: string, path: string) {
      const { url } = await service.call<{ url: string }>("POST", "people/link", {
        ...{ userEmail, path },
      });
      const response = await service.send("GET", url.slice(PUBLIC_URL.length), { key: null });
      await response.body?.cancel();
      const { status, headers } = response;
      const cookie = (headers.get("set-cookie") ?? "").split(";")[0];
      return { status, location: headers.get("location"), cookie };
    },
    /** Makes a browser remember a person; returns its cookie. */
    async remember(userEmail: string): Promise<string> {
      const link = linkOf(await mailed("/me", { userEmail }));
      const { headers } = await submit(`${link}/remember`, { headers: OWN });
      return (headers.get("set-cookie") ?? "").split(";")[0];
    },
    [Symbol.asyncDispose]: () => service.worker.close(),
  };
}

/** A service with a board and forms. */
export type FormService = Awaited<ReturnType<typeof startForms>>;

/** Returns the values of the hidden fields of a page, by name. */
export function hiddenFields(html: string): Readonly<Record<string, string>> {
  const found = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, value]));
}

/** Returns what the form of a mailed link sends: hidden fields, and the ticks that are set. */
export function tickedFields(
  html: string,
  { all = false }: { readonly all?: boolean } = {},
): Readonly<Record<string, string>> {
  const found = html.matchAll(
    /<input type="checkbox" name="(item\d+)" value="([^"]*)"( checked)?>/g,
  );
  const ticks = [...found].filter(([, , , checked]) => all || checked)
    .map(([, name, value]) => [name, value]);
  return { ...hiddenFields(html), ...Object.fromEntries(ticks) };
}

export { linkOf, PUBLIC_URL };
