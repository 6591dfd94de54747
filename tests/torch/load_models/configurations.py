# SPDX-License-Identifier: MIT
"""The models: those of ../models, and these. All are small and have random weights; nothing is downloaded. This file is imported where
torch._dynamo must not be."""

import contextlib
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

_SPEC = importlib.util.spec_from_file_location("models_to_load", Path(__file__).resolve().parents[1] / "models" / "models.py")
lists = importlib.util.module_from_spec(_SPEC)
sys.modules["models_to_load"] = lists
_SPEC.loader.exec_module(lists)

GROUPED, IMAGE, POSITIONS, TOKENS = lists.GROUPED, lists.image, lists.SMALL_POSITIONS, lists.tokens
HEADS = {**GROUPED, "head_dim": 8}
SEQUENCES = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
             "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "vocab_size": 64, "max_position_embeddings": 32}  # fmt: skip
EXPERTS = {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}


def with_labels():
    return {**lists.tokens(), "labels": torch.randint(0, 60, (2, 7))}


def with_mask():
    return {**lists.tokens(), "attention_mask": torch.ones(2, 7, dtype=torch.long)}


def large_image():
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def pictures_with_text():
    return {**lists.tokens(), **lists.image()}


def sound():
    return {"input_values": torch.randn(2, 800)}


_TEXT = {**POSITIONS, "projection_dim": 16}
_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")  # one is enough, and compiled in half the time
_CLIP = {"text_config": _TEXT, "vision_config": lists.PATCHES, "projection_dim": 16}

TRANSFORMERS = {
    **lists.TRANSFORMERS,
    "bert with labels": ("BertForMaskedLM", "BertConfig", POSITIONS, with_labels),
    "distilbert with a mask": ("DistilBertForSequenceClassification", *lists.TRANSFORMERS["distilbert"][1:3], with_mask),
    "mobilebert": ("MobileBertModel", "MobileBertConfig", {**POSITIONS, "embedding_size": 16, "intra_bottleneck_size": 32}, TOKENS),
    "deberta": ("DebertaV2Model", "DebertaV2Config", POSITIONS, TOKENS),
    "modernbert": ("ModernBertModel", "ModernBertConfig", {**POSITIONS, "pad_token_id": 0, "attn_implementation": "sdpa"}, TOKENS),
    "xlm_roberta": ("XLMRobertaForTokenClassification", "XLMRobertaConfig", POSITIONS, TOKENS),
    "gpt2 with labels": ("GPT2LMHeadModel", *lists.TRANSFORMERS["gpt2"][1:3], with_labels),
    "gptj": ("GPTJModel", "GPTJConfig", {"n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4, "vocab_size": 64, "n_positions": 32}, TOKENS),
    "gpt_neo": ("GPTNeoModel", "GPTNeoConfig", {"hidden_size": 32, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]],
                                                "vocab_size": 64, "max_position_embeddings": 32}, TOKENS),
    "bloom": ("BloomModel", "BloomConfig", {"hidden_size": 32, "n_layer": 2, "n_head": 4, "vocab_size": 64}, TOKENS),
    "falcon": ("FalconModel", "FalconConfig", POSITIONS, TOKENS),
    "mpt": ("MptModel", "MptConfig", {"d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 32, "vocab_size": 64}, TOKENS),
    "llama with labels": ("LlamaForCausalLM", "LlamaConfig", GROUPED, with_labels),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", HEADS, TOKENS),
    "qwen2_moe": ("Qwen2MoeModel", "Qwen2MoeConfig", {**GROUPED, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
                                                      "shared_expert_intermediate_size": 16}, TOKENS),
    "mixtral": ("MixtralModel", "MixtralConfig", EXPERTS, TOKENS),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", HEADS, TOKENS),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig", HEADS, TOKENS),
    "phi3": ("Phi3Model", "Phi3Config", {**GROUPED, "pad_token_id": 0}, TOKENS),
    "olmo2": ("Olmo2Model", "Olmo2Config", GROUPED, TOKENS),
    "cohere": ("CohereModel", "CohereConfig", GROUPED, TOKENS),
    "stablelm": ("StableLmModel", "StableLmConfig", GROUPED, TOKENS),
    "starcoder2": ("Starcoder2Model", "Starcoder2Config", GROUPED, TOKENS),
    "granite": ("GraniteModel", "GraniteConfig", GROUPED, TOKENS),
    "smollm3": ("SmolLM3Model", "SmolLM3Config", {**GROUPED, "pad_token_id": 0}, TOKENS),
    "glm": ("GlmModel", "GlmConfig", {**HEADS, "pad_token_id": 0}, TOKENS),
    "mamba": ("MambaModel", "MambaConfig", {"hidden_size": 16, "num_hidden_layers": 1, "vocab_size": 64, "state_size": 4}, TOKENS),
    "t5 encoder": ("T5EncoderModel", *lists.TRANSFORMERS["t5"][1:3], TOKENS),
    "pegasus": ("PegasusModel", "PegasusConfig", SEQUENCES, lists.tokens_twice),
    "m2m100": ("M2M100Model", "M2M100Config", SEQUENCES, lists.tokens_twice),
    "clip": ("CLIPModel", "CLIPConfig", _CLIP, pictures_with_text),
    "siglip vision": ("SiglipVisionModel", "SiglipVisionConfig", lists.PATCHES, IMAGE),
    "dinov2": ("Dinov2Model", "Dinov2Config", lists.PATCHES, IMAGE),
    "beit": ("BeitModel", "BeitConfig", lists.PATCHES, IMAGE),
    "swin": ("SwinModel", "SwinConfig", {"image_size": 32, "patch_size": 4, "embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "window_size": 4},
             large_image),
    "resnet": ("ResNetModel", "ResNetConfig", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1]}, large_image),
    "segformer": ("SegformerModel", "SegformerConfig", {"num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [8, 16],
                  "patch_sizes": [7, 3], "strides": [4, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2]}, large_image),
    "wav2vec2": ("Wav2Vec2Model", "Wav2Vec2Config", {**POSITIONS, "conv_dim": [16, 16], "conv_stride": [5, 4], "conv_kernel": [10, 8],
                 "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 2, "mask_time_prob": 0.0}, sound),
}  # fmt: skip

TIMM = (*lists.TIMM, "test_convnext2", "test_convnext3", "test_efficientnet_gn", "test_efficientnet_ln", "test_efficientnet_evos",
        "test_vit2", "test_vit3", "test_vit4")  # fmt: skip


# What generates text: prefill, then a token at a time over a StaticCache, greedily or drawn from the most likely ones.
GENERATION = {"llama": "LlamaForCausalLM", "gpt2": "GPT2LMHeadModel", "qwen3": "Qwen3ForCausalLM", "gemma": "GemmaForCausalLM"}
_LENGTH = 16  # of the cache


@dataclass
class Example:
    module: torch.nn.Module
    calls: object  # () -> pairs of arguments and keywords, with which it is built
    play: object  # what is called -> list of tensors
    method: str | None = None  # of the module, that is called
    mode: object = contextlib.nullcontext  # around the calls, and around what makes their arguments

    def called(self):
        return self.module if self.method is None else getattr(self.module, self.method)


def _without_dropout(module):
    """Random numbers are others in eager mode."""
    for part in module.modules():
        for name, value in vars(part).items():
            if type(value) is float and ("drop" in name or name == "p"):
                setattr(part, name, 0.0)
    return module


def transformer(name, training):
    import transformers

    kind, config, settings, inputs = TRANSFORMERS[name]
    settings = {key: 1 if key in _LAYERS and "attention_types" not in settings else value for key, value in settings.items()}
    torch.manual_seed(0)
    made = getattr(transformers, kind)(getattr(transformers, config)(**settings, use_cache=False))
    return _of_two_calls(_without_dropout(made.train(training)), lambda: ((), inputs()))


def picture_model(name, training):
    import timm

    torch.manual_seed(0)
    made = timm.create_model(name, pretrained=False, num_classes=5).train(training)
    return _of_two_calls(_without_dropout(made), lambda: ((torch.randn(2, *made.default_cfg["input_size"]),), {}))


def _of_two_calls(module, call):
    """`call` gives arguments and keywords. Where it trains, backwards run, too."""

    def play(function):
        found = []
        for _ in range(2):
            args, kwargs = call()
            results = tensors_of(function(*args, **kwargs))
            found += [result.detach().clone() for result in results]
            if torch.is_grad_enabled():
                sum(result.float().square().mean() for result in results if result.requires_grad).backward()
        return found

    return Example(module, lambda: [call()], play)


def generation(name):
    import transformers

    _, config, settings, _ = TRANSFORMERS[name]
    torch.manual_seed(0)
    settings = {**settings, "initializer_range": 1.0}  # with a smaller one the same token comes again and again
    module = getattr(transformers, GENERATION[name])(getattr(transformers, config)(**settings)).eval()

    def cache():
        return transformers.StaticCache(config=module.config, max_cache_len=_LENGTH)

    def step(tokens, before, kept):
        return {"input_ids": tokens, "cache_position": torch.arange(before, before + tokens.shape[1]), "past_key_values": kept, "use_cache": True}

    def calls():
        kept = cache()
        return [((), step(torch.ones(1, 5, dtype=torch.long), 0, kept)), ((), step(torch.ones(1, 1, dtype=torch.long), 5, kept))]

    def play(function):
        found = []
        for first in (3, 17):
            tokens, kept, before = torch.arange(first, first + 5).view(1, 5), cache(), 0
            while before + tokens.shape[1] <= _LENGTH:
                logits = function(**step(tokens, before, kept)).logits
                before += tokens.shape[1]
                tokens = logits[:, -1:].argmax(-1)
                found += [logits, tokens]
        return found

    return Example(module, calls, play)


class Sampler(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def next_token(self, tokens, position, kept, temperature):
        logits = self.model(input_ids=tokens, cache_position=position, past_key_values=kept, use_cache=True).logits[:, -1]
        likely, which = torch.topk(logits, 8)
        drawn = torch.multinomial(torch.softmax(likely / temperature, -1), 1)
        return which.gather(-1, drawn)


def sampling(name):
    made = generation(name)
    model = made.module

    def cache():
        import transformers

        return transformers.StaticCache(config=model.config, max_cache_len=_LENGTH)

    def calls():
        kept = cache()
        return [((torch.ones(1, count, dtype=torch.long), torch.arange(first, first + count), kept, temperature), {})
                for count, first, temperature in ((5, 0, 0.5), (1, 5, 0.5), (1, 6, 0.75))]  # fmt: skip

    def play(function):
        tokens, kept, found = torch.arange(3, 8).view(1, 5), cache(), []
        position = torch.arange(5)
        while position[-1] < _LENGTH:
            tokens = function(tokens, position, kept, 0.5 + len(found) / 100)
            position = position[-1:] + 1
            found.append(tokens.clone())
        return found

    return Example(Sampler(model), calls, play, "next_token", torch.inference_mode)


def models():
    """name -> (() -> Example, whether it trains)"""
    result = {f"transformers {name}, generation": ((lambda name=name: generation(name)), False) for name in GENERATION}
    result |= {f"transformers {name}, sampling": ((lambda name=name: sampling(name)), False) for name in GENERATION}
    for training in (False, True):
        for make, kind, names in ((transformer, "transformers", TRANSFORMERS), (picture_model, "timm", TIMM)):
            for name in names:
                mode = "train" if training else "eval"
                result[f"{kind} {name}, {mode}"] = ((lambda make=make, name=name, training=training: make(name, training)), training)
    return result


def tensors_of(value):
    """All tensors of a result, in their order."""
    if isinstance(value, torch.Tensor):
        return [value]
    values = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for inner in values for tensor in tensors_of(inner)]


def played(name, wrap):
    """What calls give: results, and gradients if it trains. `wrap(module)` is what is called."""
    make, training = models()[name]
    made = make()
    function = wrap(made.called())
    torch.manual_seed(11)
    with torch.set_grad_enabled(training), made.mode():
        found = made.play(function)
    gradients = [parameter.grad for parameter in made.module.parameters() if parameter.grad is not None]
    return found + gradients
