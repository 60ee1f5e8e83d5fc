import { assert, assertEquals } from "@std/assert";
import type { Sent, TestService } from "./service.ts";

/** A browser that keeps cookies and sends what the studio sends. */
export interface Browser {
  /** The cookies, by name. */
  readonly cookies: Map<string, string>;
  send(method: string, path: string, sent?: Sent): Promise<Response>;
}

/** Opens a browser at a service. */
export function openBrowser({ send }: Pick<TestService, "send">): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async send(method, path, sent = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = {
        "boardcast-studio": "1",
        "sec-fetch-site": "same-origin",
        ...cookie && { cookie },
        ...sent.headers,
      };
      const response = await send(method, path, { key: null, ...sent, headers });
      for (const set of response.headers.getSetCookie()) {
        const [, name, value, rest] = /^([^=]+)=([^;]*)(.*)$/.exec(set)!;
        if (/Max-Age=0/.test(rest)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return response;
    },
  };
}

/** Opens a browser that signs in by an invitation. */
export async function signIn(service: Pick<TestService, "send">, url: string): Promise<Browser> {
  const browser = openBrowser(service);
  const path = url.startsWith("/") ? url : new URL(url).pathname;
  const response = await browser.send("POST", path);
  assertEquals(response.status, 303, await response.text());
  assert(browser.cookies.size > 0);
  return browser;
}
