//! Servers that people are likely to have.

use super::Family;

/// A known server, to choose instead of typing an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// The address it usually has; with a placeholder in braces where the user must fill something in.
    pub address: &'static str,
    /// Whether it does nothing without a key.
    pub needs_key: bool,
    /// What to check when it does not answer.
    pub hint: &'static str,
}

impl Preset {
    /// The dialect of all presets.
    pub const FAMILY: Family = Family::OpenAiChat;
}

/// Every preset.
pub const PRESETS: [Preset; 7] = [
    Preset {
        name: "Ollama",
        address: "http://localhost:11434/v1",
        needs_key: false,
        hint: "Start it with `ollama serve` and pull the model first; its context length is set on the server",
    },
    Preset {
        name: "LM Studio",
        address: "http://localhost:1234/v1",
        needs_key: false,
        hint: "Start its server; the first answer can take minutes while the model loads",
    },
    Preset {
        name: "vLLM",
        address: "http://localhost:8000/v1",
        needs_key: false,
        hint: "Start it with `--enable-auto-tool-choice` and a `--tool-call-parser`",
    },
    Preset {
        name: "llama.cpp",
        address: "http://localhost:8080/v1",
        needs_key: false,
        hint: "Start it with `--jinja`, and with `--mmproj` to see pictures",
    },
    Preset {
        name: "OpenRouter",
        address: "https://openrouter.ai/api/v1",
        needs_key: true,
        hint: "Its model list is public: only a reply proves the key",
    },
    Preset {
        name: "DeepSeek",
        address: "https://api.deepseek.com/v1",
        needs_key: true,
        hint: "Choose a model that takes tools",
    },
    Preset {
        name: "Azure OpenAI",
        address: "https://{resource}.openai.azure.com/openai/deployments/{deployment}?api-version={version}",
        needs_key: true,
        hint: "The deployment's name stands for the model",
    },
];
