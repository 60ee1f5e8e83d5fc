// app.get("/feedback", handOver), behind the sign-in of an app with Hono
import process from "node:process";
import type { Context } from "hono";

type Signed = { readonly Variables: { readonly user: { email: string; name: string } } };

export async function handOver(c: Context<Signed>): Promise<Response> {
  const { email, name } = c.get("user"); // Your sign-in has set it.
  const response = await fetch(`${process.env.FEEDBACK_URL}/api/v1/people/link`, {
    method: "POST",
    headers: {
      "Authorization": `Bearer ${process.env.FEEDBACK_KEY}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ userEmail: email, userName: name, path: "/boards/ideas" }),
  });
  if (!response.ok) throw new Error(`Boardcast answers ${response.status}`);
  return c.redirect((await response.json()).url, 303);
}
