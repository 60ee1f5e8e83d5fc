/** Returns the value of a cookie; `undefined` if there is none or more than one. */
export function readCookie({ headers }: Request, name: string): string | undefined {
  const cookies = (headers.get("cookie") ?? "").split(";").map((cookie) => cookie.trim());
  const own = cookies.filter((cookie) => cookie.startsWith(`${name}=`));
  return own.length === 1 ? own[0].slice(name.length + 1) : undefined;
}

/** The attributes of a cookie (RFC 6265bis, section 5.4), which is for the whole host. */
export interface CookieRules {
  /** Seconds until the browser removes it; 0 removes it now. */
  readonly maxAge: number;
  /** Whether the browser sends it over TLS alone. */
  readonly isSecure: boolean;
  readonly sameSite: "Strict" | "Lax";
}

/** Returns a `Set-Cookie` for a value that scripts can't read. */
export function writeCookie(
  name: string,
  value: string,
  { maxAge, isSecure, sameSite }: CookieRules,
): string {
  const secure = isSecure ? "; Secure" : "";
  return `${name}=${value}; Max-Age=${maxAge}; Path=/${secure}; HttpOnly; SameSite=${sameSite}`;
}
