import { type FileServer, SCRIPT_TYPE, serveFile } from "../_http/served_file.ts";
import { type Operation, operation } from "../_http/operation.ts";
import widget from "./pages/widget.js" with { type: "text" };

/** Creates the operation that serves the custom element which other sites show the changelog with. */
export function widgetOperation(): Operation {
  let serve: (FileServer) | undefined;
  return operation("GET", "/changelog/widget.js", {
    operationId: "getWidget",
    summary: "Load the widget",
    description:
      "Returns the module of the element `<boardcast-changelog>`, for pages of any origin.",
    successes: [{
      status: 200,
      schema: "Script",
      headers: ["ETag", "Last-Modified", "Access-Control-Allow-Origin"],
    }],
    run({ request, now }) {
      serve ??= serveFile({
        // Comments are for people who read the source.
        body: widget.replace(/^\s*(?:\/\/|\/?\*).*\n/gm, ""),
        contentType: SCRIPT_TYPE,
        headers: {
          "Access-Control-Allow-Origin": "*",
          "Cache-Control": "public, max-age=60",
          // The first time that it was asked for: it changes with the program alone.
          "Last-Modified": new Date(now.ms).toUTCString(),
        },
      });
      return serve(request);
    },
  });
}
