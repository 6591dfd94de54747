# SPDX-License-Identifier: MIT
"""Whole models of transformers and timm through check(), in inference and in training: small configurations with random weights;
nothing is downloaded.

  models.py [NAME...]      programs whose name contains one of the words

To add one: a line in TRANSFORMERS (class of the model, class of the configuration, settings, inputs) or in TIMM.
"""

import os
import sys
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))  # not the folder itself: triton/ is not Triton
os.environ["HF_HUB_OFFLINE"] = "1"
# timm imports torchvision, whose own operators no model here uses; where they are not built for this PyTorch, what it wants to
# register for them cannot be.
sys.modules["torchvision._meta_registrations"] = types.ModuleType("torchvision._meta_registrations")

import torch  # noqa: E402

from sweep import main  # noqa: E402

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "vocab_size": 64}
SMALL_POSITIONS = {**SMALL, "max_position_embeddings": 32}
GROUPED = {**SMALL_POSITIONS, "num_key_value_heads": 2}
PATCHES = {**SMALL, "image_size": 16, "patch_size": 8}


def tokens():
    return {"input_ids": torch.randint(0, 60, (2, 7))}


def tokens_twice():
    return {"input_ids": torch.randint(0, 60, (2, 7)), "decoder_input_ids": torch.randint(0, 60, (2, 5))}


def image():
    return {"pixel_values": torch.randn(2, 3, 16, 16)}


TRANSFORMERS = {
    "bert": ("BertModel", "BertConfig", SMALL_POSITIONS, tokens),
    "roberta": ("RobertaModel", "RobertaConfig", SMALL_POSITIONS, tokens),
    "electra": ("ElectraModel", "ElectraConfig", {**SMALL_POSITIONS, "embedding_size": 16}, tokens),
    "albert": ("AlbertModel", "AlbertConfig", {**SMALL_POSITIONS, "embedding_size": 16}, tokens),
    "distilbert": ("DistilBertModel", "DistilBertConfig", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "vocab_size": 64,
                                                           "max_position_embeddings": 32}, tokens),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", {"n_embd": 32, "n_layer": 2, "n_head": 4, "vocab_size": 64, "n_positions": 32}, tokens),
    "gpt_neox": ("GPTNeoXModel", "GPTNeoXConfig", SMALL_POSITIONS, tokens),
    "opt": ("OPTModel", "OPTConfig", {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 48,
                                      "vocab_size": 64, "max_position_embeddings": 32, "word_embed_proj_dim": 32}, tokens),
    "llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED, tokens),
    "mistral": ("MistralModel", "MistralConfig", GROUPED, tokens),
    "qwen2": ("Qwen2Model", "Qwen2Config", GROUPED, tokens),
    "phi": ("PhiModel", "PhiConfig", GROUPED, tokens),
    "gemma": ("GemmaModel", "GemmaConfig", {**GROUPED, "head_dim": 8}, tokens),
    "t5": ("T5Model", "T5Config", {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "vocab_size": 64},
           tokens_twice),
    "bart": ("BartModel", "BartConfig", {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4,
                                         "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "vocab_size": 64,
                                         "max_position_embeddings": 32}, tokens),
    "vit": ("ViTModel", "ViTConfig", PATCHES, image),
    "deit": ("DeiTModel", "DeiTConfig", PATCHES, image),
    "convnext": ("ConvNextModel", "ConvNextConfig", {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "image_size": 32},
                 lambda: {"pixel_values": torch.randn(2, 3, 32, 32)}),
}  # fmt: skip

# timm's own models for tests: the smallest of each architecture.
TIMM = ("test_resnet", "test_vit", "test_convnext", "test_efficientnet", "test_byobnet", "test_nfnet", "test_mambaout")


class Called(torch.nn.Module):
    """A model that takes its keywords as a dict and returns tuples."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs):
        return self.model(**inputs, return_dict=False)


def options_of(training):
    # A model's sums are long: PyTorch's own compiled program is as far from eager mode.
    return {"grad": training, "tolerance": (1e-4, 1e-5)}


def transformers_entry(name, training):
    def entry():
        import transformers

        model, config, settings, inputs = TRANSFORMERS[name]
        torch.manual_seed(0)
        built = getattr(transformers, model)(getattr(transformers, config)(**settings, use_cache=False))
        return (Called(built.train(training)), lambda: [(inputs(),), (inputs(),)]), options_of(training)

    return entry


def timm_entry(name, training):
    def entry():
        import timm

        torch.manual_seed(0)
        model = timm.create_model(name, pretrained=False, num_classes=5).train(training)
        channels, height, width = model.default_cfg["input_size"]
        shape = (2, channels, height, width)
        return (model, lambda: [(torch.randn(shape),), (torch.randn(shape),)]), options_of(training)

    return entry


# ---- of any size ----


def lengths(*numbers):
    return lambda: [({"input_ids": torch.randint(0, 60, (2, n))},) for n in numbers]


def pictures(*shapes):
    return lambda: [(torch.randn(2, 3, *shape),) for shape in shapes]


class Decoder(torch.nn.Module):
    """One token after the other: keys and values of those before come and go as arguments."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, token, *cache):
        from transformers import DynamicCache

        pairs = list(zip(cache[::2], cache[1::2], strict=True))
        past = DynamicCache(pairs) if pairs else None
        result = self.model(input_ids=token, past_key_values=past, use_cache=True)
        return result.logits, *(part for layer in result.past_key_values.layers for part in (layer.keys, layer.values))


def gpt2():
    import transformers

    model, config, settings, _ = TRANSFORMERS["gpt2"]
    torch.manual_seed(0)
    return getattr(transformers, model)(getattr(transformers, config)(**settings))


def decoding():
    def steps():
        return [(torch.randint(0, 60, (1, 1)), *(torch.randn(1, 4, n, 8) for _ in range(4))) for n in (3, 4, 5, 9)]

    return (Decoder(gpt2().eval()), steps), options_of(False)


def of_any_size(name, training):
    def entry():
        (model, _), options = entries_of(training)[name]()
        calls = pictures((32, 32), (33, 40), (64, 47)) if name.startswith("timm") else lengths(5, 8, 13)
        return (model, calls), {**options, "dynamic": True}

    return entry


DYNAMIC = ("transformers gpt2", "transformers bert", "transformers llama", "timm test_resnet", "timm test_convnext")


def entries_of(training):
    mode = {f"transformers {name}": transformers_entry(name, training) for name in TRANSFORMERS}
    return {**mode, **{f"timm {name}": timm_entry(name, training) for name in TIMM}}


def entries():
    result = {"transformers gpt2, decoding with automatic dynamic shapes": decoding}
    for training in (False, True):
        mode = "train" if training else "eval"
        result.update({f"{name}, {mode}": entry for name, entry in entries_of(training).items()})
        result.update({f"{name}, {mode}, of any size": of_any_size(name, training) for name in DYNAMIC})
    return result


if __name__ == "__main__":
    sys.exit(main("models", entries(), {}, least=0.9))
