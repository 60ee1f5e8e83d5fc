import { freePort } from "../../_support/port.ts";
import { SERVER } from "../../_support/process.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";

export interface ServeProcess extends AsyncDisposable {
  /** Sends a request; resolves with the status and the content of the response. */
  send(method: string, path: string, form?: Record<string, string>): Promise<Answer>;
}

/** The answer to a request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Starts `serve`, and waits until it is ready. */
export async function startServe(
  storage: string,
  variables: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  const port = freePort();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", SERVER, "serve", "--port", `${port}`],
    env: {
      BOARDCAST_STORAGE: storage,
      BOARDCAST_API_KEY: OPERATOR_KEY,
      BOARDCAST_RATE_LIMIT: "off",
      BOARDCAST_LOG: "off",
      ...variables,
    },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();

  async function send(method: string, path: string, form?: Record<string, string>) {
    const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
    const body = form && new URLSearchParams(form);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body });
    return { status: response.status, text: await response.text() };
  }

  await until(
    () => send("GET", "/readyz").then(({ status }) => status === 200, () => false),
    30_000,
  );
  return {
    send,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
    },
  };
}
