// Asks the harness for a stream with Node's own fetch and reads it with eventsource-parser.
// Arguments: URL, JSON body. Prints one JSON object: status, events, comments, and how the body ended.
import { createParser } from "eventsource-parser";

const [url, body] = process.argv.slice(2);
const events = [];
const comments = [];
const parser = createParser({
  onEvent: (event) => events.push({ data: event.data, event: event.event ?? null, id: event.id ?? null }),
  onComment: (text) => comments.push(text),
});
const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
let end = "complete";
try {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of response.body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
} catch (error) {
  end = "broken";
}
console.log(JSON.stringify({ status: response.status, events, comments, end }));
