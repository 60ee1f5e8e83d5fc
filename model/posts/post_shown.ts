import { flag, listOf, object, textOrNull, withSchema } from "../declare.ts";
import type { ShownOf } from "../resource.ts";
import { POST } from "./post.ts";

const { postId, title } = POST.fields;

/** A post in a response of the API. */
export const POST_SHOWN = object("PostShown", POST.description, {
  ...POST.fields,
  deliveryId: {
    ...textOrNull(
      "The newest delivery that tells of it; `null`: there is none. Absent without `posts:read`.",
      null,
    ),
    optional: true,
  },
  voted: {
    ...withSchema(
      flag("Whether the vote of the `voter` in the query stands; absent without one."),
      { examples: undefined },
    ),
    optional: true,
  },
});

/** A post in the response of an operation on a single post. */
export const POST_RESPONSE = object("PostAnswer", POST.description, {
  ...POST_SHOWN.fields,
  merged: {
    ...withSchema(
      listOf(
        object("MergedPost", "A post that was merged into another.", { postId, title }),
        "The posts that were merged into it, directly or by way of others. Absent without " +
          "`posts:publish`.",
      ),
      { examples: [[]] },
    ),
    optional: true,
  },
});

export type PostResponse = ShownOf<typeof POST_RESPONSE.fields>;
