import type { Storage } from "../../../adapters/storage.ts";
import { addMs } from "../../../model/values/time.ts";
import { CODE_MS } from "../../../services/team/codes.ts";
import { cookieLetters } from "../../../services/team/sessions.ts";
import { readCookie, writeCookie } from "../../_http/cookies.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

/** The cookie by which a browser proves that it asked for a code, and for which address. */
export interface AskedCookie {
  keep(storage: Storage, userEmail: string, at: string): Promise<string>;
  drop(storage: Storage): Promise<string>;
  /** Returns the address for which the browser asked within the last 10 minutes. */
  read(storage: Storage, request: Request, at: string): Promise<string | undefined>;
}

/** Creates the cookie; `isSecure` where the public URL is https. */
export function createAskedCookie({ isSecure }: { readonly isSecure: boolean }): AskedCookie {
  const rules = { isSecure, sameSite: "Strict" } as const;
  const open = (storage: Storage) => openCipher(storage, "signIn");

  async function nameOf(storage: Storage): Promise<string> {
    return `${isSecure ? "__Host-" : ""}boardcast-code-${await cookieLetters(storage)}`;
  }

  return {
    async keep(storage, userEmail, at) {
      const endsAt = addMs(at, CODE_MS);
      const token = (await open(storage)).encrypt(JSON.stringify({ userEmail, endsAt }));
      return writeCookie(await nameOf(storage), token, { ...rules, maxAge: CODE_MS / 1_000 });
    },
    drop: async (storage) => writeCookie(await nameOf(storage), "", { ...rules, maxAge: 0 }),
    async read(storage, request, at) {
      const token = readCookie(request, await nameOf(storage));
      const text = token && (await open(storage)).decrypt(token);
      if (!text) return undefined;
      const { userEmail, endsAt }: { readonly userEmail: string; readonly endsAt: string } = JSON
        .parse(text);
      return at < endsAt ? userEmail : undefined;
    },
  };
}
