// app/feedback/route.ts of an app with Next.js and Auth.js
import process from "node:process";
import { auth } from "@/auth";

export async function GET(request: Request): Promise<Response> {
  const user = (await auth())?.user;
  if (!user?.email) return Response.redirect(new URL("/api/auth/signin", request.url), 303);
  const response = await fetch(`${process.env.FEEDBACK_URL}/api/v1/people/link`, {
    method: "POST",
    headers: {
      "Authorization": `Bearer ${process.env.FEEDBACK_KEY}`,
      "Content-Type": "application/json",
    },
    body: JSON.stringify({ userEmail: user.email, userName: user.name, path: "/boards/ideas" }),
  });
  if (!response.ok) throw new Error(`Boardcast answers ${response.status}`);
  return Response.redirect((await response.json()).url, 303);
}
