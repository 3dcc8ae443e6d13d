/** The texts of the page of a conversation, which no other page needs. */
import { conversation as en } from "./en/conversation.js";
import { learn } from "./index.js";
import { conversation as zh } from "./zh/conversation.js";

learn({ en, zh });
