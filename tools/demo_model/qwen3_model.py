# SPDX-License-Identifier: Apache-2.0
"""Qwen3 written for training speed; its parameters are named as in transformers."""

import math

import torch
import torch.nn.functional as F
from torch import nn

CONFIG = dict(
    vocab_size=4096,
    hidden_size=256,
    intermediate_size=768,
    num_hidden_layers=6,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=64,
    max_position_embeddings=2048,
    rms_norm_eps=1e-6,
    tie_word_embeddings=True,
    rope_parameters={"rope_type": "default", "rope_theta": 1000000.0},
)


# What makes the model a mixture of experts: CONFIG | EXPERTS. An expert's matrices have 256 rows and columns, so that
# every block format fits them.
EXPERTS = dict(
    num_hidden_layers=3,
    num_experts=8,
    num_experts_per_tok=2,
    moe_intermediate_size=256,
    norm_topk_prob=True,
    decoder_sparse_step=1,
)
BALANCE_LOSS = 0.01  # keeps the router from using the same experts for everything


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.square().mean(-1, keepdim=True) + CONFIG["rms_norm_eps"])
        return (y * self.weight).to(x.dtype)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        size, self.dim = CONFIG["hidden_size"], CONFIG["head_dim"]
        self.heads, self.kv_heads = CONFIG["num_attention_heads"], CONFIG["num_key_value_heads"]
        self.q_proj = nn.Linear(size, self.heads * self.dim, bias=False)
        self.k_proj = nn.Linear(size, self.kv_heads * self.dim, bias=False)
        self.v_proj = nn.Linear(size, self.kv_heads * self.dim, bias=False)
        self.o_proj = nn.Linear(self.heads * self.dim, size, bias=False)
        self.q_norm, self.k_norm = RMSNorm(self.dim), RMSNorm(self.dim)

    def forward(self, x, cos, sin):
        batch, length, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(batch, length, self.heads, self.dim)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(batch, length, self.kv_heads, self.dim)).transpose(1, 2)
        v = self.v_proj(x).view(batch, length, self.kv_heads, self.dim).transpose(1, 2)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        groups = self.heads // self.kv_heads
        y = F.scaled_dot_product_attention(
            q, k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1), is_causal=True
        )
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, -1))

    @staticmethod
    def rotate(x, cos, sin):
        a, b = x.float().chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        size, inner = CONFIG["hidden_size"], CONFIG["intermediate_size"]
        self.gate_proj, self.up_proj = nn.Linear(size, inner, bias=False), nn.Linear(size, inner, bias=False)
        self.down_proj = nn.Linear(inner, size, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Experts(nn.Module):
    """The parameters of all experts, as transformers holds them."""

    def __init__(self):
        super().__init__()
        count, size, inner = CONFIG["num_experts"], CONFIG["hidden_size"], CONFIG["moe_intermediate_size"]
        self.gate_up_proj = nn.Parameter(torch.empty(count, 2 * inner, size))
        self.down_proj = nn.Parameter(torch.empty(count, size, inner))


class MixtureOfExperts(nn.Module):
    """Every expert computes every token, which is simple and, at this size, fast; the router's weights of those that a
    token does not use are zero. The loss that balances the experts is left in `balance`."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(CONFIG["hidden_size"], CONFIG["num_experts"], bias=False)
        self.experts = Experts()
        self.balance = None

    def forward(self, x):
        flat = x.flatten(0, 1)
        with torch.autocast(x.device.type, enabled=False):
            probabilities = F.linear(flat.float(), self.gate.weight.float()).softmax(-1)
        weights, chosen = probabilities.topk(CONFIG["num_experts_per_tok"], dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        shares = torch.zeros_like(probabilities).scatter(-1, chosen, weights)
        used = (shares > 0).float().mean(0) / CONFIG["num_experts_per_tok"]
        self.balance = CONFIG["num_experts"] * (used * probabilities.mean(0)).sum()
        gate, up = torch.einsum("ts,eis->eti", flat, self.experts.gate_up_proj.to(flat.dtype)).chunk(2, dim=-1)
        down = torch.einsum("eti,esi->ets", F.silu(gate) * up, self.experts.down_proj.to(flat.dtype))
        return torch.einsum("ets,te->ts", down, shares.to(down.dtype)).view_as(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attn = Attention()
        self.mlp = MixtureOfExperts() if "num_experts" in CONFIG else MLP()
        self.input_layernorm, self.post_attention_layernorm = RMSNorm(CONFIG["hidden_size"]), RMSNorm(
            CONFIG["hidden_size"]
        )

    def forward(self, x, cos, sin):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin)
        return x + self.mlp(self.post_attention_layernorm(x))


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed_tokens = nn.Embedding(CONFIG["vocab_size"], CONFIG["hidden_size"])
        self.layers = nn.ModuleList(Layer() for _ in range(CONFIG["num_hidden_layers"]))
        self.norm = RMSNorm(CONFIG["hidden_size"])


class Qwen3(nn.Module):
    """The whole model: logits, or the mean loss if labels are given (-100: not scored)."""

    def __init__(self):
        super().__init__()
        self.model = Backbone()
        theta, dim = CONFIG["rope_parameters"]["rope_theta"], CONFIG["head_dim"]
        frequencies = theta ** (-torch.arange(0, dim, 2).double() / dim)
        angles = torch.arange(CONFIG["max_position_embeddings"]).double()[:, None] * frequencies
        self.register_buffer("cos", angles.cos().float(), persistent=False)
        self.register_buffer("sin", angles.sin().float(), persistent=False)
        for name, p in self.named_parameters():
            if p.ndim >= 2:
                deep = name.endswith(("o_proj.weight", "down_proj.weight", "down_proj"))
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * CONFIG["num_hidden_layers"]) if deep else 0.02)

    def forward(self, ids, labels=None):
        x = self.model.embed_tokens(ids)
        cos, sin = self.cos[: ids.shape[1]], self.sin[: ids.shape[1]]
        for layer in self.model.layers:
            x = layer(x, cos, sin)
        logits = F.linear(self.model.norm(x), self.model.embed_tokens.weight)
        if labels is None:
            return logits
        loss = F.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=-100)
        if self.training and "num_experts" in CONFIG:
            loss = loss + BALANCE_LOSS * sum(layer.mlp.balance for layer in self.model.layers)
        return loss
