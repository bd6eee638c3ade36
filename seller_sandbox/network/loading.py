"""Puts the data files into the database; again, it brings back what was changed and adds what is missing."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction

from seller_sandbox.network import data_files, fixed_premises
from seller_sandbox.network.models import (
    AuxiliaryService,
    Buyer,
    LineProfile,
    Nni,
    OntModel,
    Product,
    ProductGroup,
    Project,
)


@dataclass(frozen=True)
class Loaded:
    """How many of each there are now, and how many fixed premises are new."""

    products: int
    buyers: int
    projects: int
    new_premises: int


@transaction.atomic
def load_network(*, copies: int | None = None) -> Loaded:
    """Products, buyers and projects as the data files say, and the fixed test premises that are not there yet.

    `copies` of each situation, by default as many as the file says.
    """
    _load_catalogue(data_files.read("products"))
    _load_accounts(data_files.read("buyers"))
    new_premises = fixed_premises.load(copies=copies)
    return Loaded(Product.objects.count(), Buyer.objects.count(), Project.objects.count(), new_premises)


def _load_catalogue(data: dict[str, Any]) -> None:
    for name in data["line_profiles"]:
        LineProfile.objects.get_or_create(name=name)
    for row in data["auxiliary_services"]:
        AuxiliaryService.objects.update_or_create(code=row["code"], defaults={"title": row["title"]})
    for row in data["products"]:
        _load_product(row)
    for name, products in data["product_groups"].items():
        group, _ = ProductGroup.objects.get_or_create(name=name)
        group.products.set(Product.objects.filter(name__in=products))
    for row in data["ont_models"]:
        _load_ont_model(row)


def _load_product(row: dict[str, Any]) -> None:
    members = {name: value for name, value in row.items() if name not in {"name", "auxiliary_services"}}
    product, _ = Product.objects.update_or_create(name=row["name"], defaults=members)
    product.auxiliary_services.set(AuxiliaryService.objects.filter(code__in=row["auxiliary_services"]))


def _load_ont_model(row: dict[str, Any]) -> None:
    members = {"fsan_prefix": row["fsan_prefix"], "ports": row["ports"]}
    ont_model, _ = OntModel.objects.update_or_create(
        vendor=row["vendor"], model=row["model"], defaults=members
    )
    ont_model.products.set(Product.objects.filter(name__in=row["products"]))


def _load_accounts(data: dict[str, Any]) -> None:
    for row in data["buyers"]:
        _load_buyer(row)
    for row in data["projects"]:
        buyer = Buyer.objects.get(identifier=row["buyer"])
        days = {name: date.fromisoformat(row[name]) for name in ("starts_on", "ends_on")}
        members = {"name": row["name"], "requirements": row["requirements"], **days}
        Project.objects.update_or_create(buyer=buyer, reference=row["reference"], defaults=members)


def _load_buyer(row: dict[str, Any]) -> None:
    members = {name: row[name] for name in ("name", "subject", "notice_days")}
    # where a buyer wants its notifications is the operator's choice, once it is made
    first = {**members, "callback_urls": row["callback_urls"]}
    buyer, _ = Buyer.objects.update_or_create(
        identifier=row["identifier"], defaults=members, create_defaults=first
    )
    buyer.products.set(Product.objects.filter(name__in=row["products"]))
    buyer.auxiliary_services.set(AuxiliaryService.objects.filter(code__in=row["auxiliary_services"]))
    for identifier, areas in row["nnis"].items():
        Nni.objects.update_or_create(identifier=identifier, defaults={"buyer": buyer, "areas": areas})
