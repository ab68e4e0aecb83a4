/** Shows: WCP-8, multi-merge. What follows two branches runs once for each of them, without waiting for the other. */
import { agent, child, workflow } from "sluice/workflow";
import publishOne from "./08-publish-one.workflow.ts";

export default workflow("multi-merge", {}, () => {
  const article = agent("article", { command: "Write the article." });
  const picture = agent("picture", { command: "Draw the picture." });
  child("publish_article", publishOne, { what: article.stdout });
  child("publish_picture", publishOne, { what: picture.stdout });
});
